// SPDX-License-Identifier: BSD-3-Clause
// Functions that EPISODE calls in the rooms above it at events. They are declared here and defined in the room that
// their heading names. The linker joins them, so a hook jumps there without loading a pointer first.
//
// Moments that come once in the life of a measurement or of a thread go through the list of parts instead (part.h).
#ifndef EPIK_RUNTIME_EPISODE_SEAMS_HOT_H_
#define EPIK_RUNTIME_EPISODE_SEAMS_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/episode/hook_state.h"
#include "runtime/event/layout.h"

namespace epik::episode {

struct DefinedRegion;

// Decisions on what is measured (EPK_FILTER, EPK_GROUPS, EPK_DEPTH, EPK_HOT, EPK_BUDGET, EPK_MEASURE, counters), and a
// clock that is not the TSC.

EPIK_HOT bool IsUnusual() { return base::ReadShared(&choice::hooks.unusual); }
// Nothing is measured, and nothing will be.
EPIK_HOT bool IsOff() { return base::ReadShared(&choice::hooks.off); }
inline void SeeEachEvent() { __atomic_store_n(&choice::hooks.unusual, true, __ATOMIC_RELEASE); }

}  // namespace epik::episode

namespace epik::choice {

// The thread's location may be null.
__attribute__((noinline)) void EnterUnusual(event::Key key, uint64_t stack, event::Location* location);
__attribute__((noinline)) void ExitUnusual(event::Key key, uint64_t stack, event::Location* location);
// The first event of a thread, which has just got its location. True: the call is not measured, and needs no more work.
bool IsOutAtFirst(event::Key key, uint64_t stack);
// An event while the calling thread pauses. True: the pause is over, and this event counts.
bool EnterWhilePaused(event::Key key, uint64_t stack);
bool ExitWhilePaused(event::Key key, uint64_t stack);
// Another process pauses the measurement, and this thread enters a function. True: the thread pauses now, and the
// function is not measured.
bool PauseFromOutside(event::Location* location, event::Key key, uint64_t stack);
// The visit that was timed does not represent other visits of its call path.
void NoteTimed(uint32_t node);

// Whether a region that is about to be defined is excluded. No lock is held.
bool RegionIsOut(const episode::DefinedRegion& region);
// The region has its number, but the function that defines it has not returned yet.
void NoteRegion(const episode::DefinedRegion& region, bool is_out);
// The module with code between these addresses was unloaded.
void ForgetCode(uint64_t begin, uint64_t end, uint64_t bias);

}  // namespace epik::choice

namespace epik::counters {

// Counters (EPK_METRICS). Counts since the event before belong to the call path that was current meanwhile, so they are
// added before the call path changes. Then the sum over all call paths is the total count.

// Reads all counters of the calling thread, whose location it is.
__attribute__((noinline)) void ChargeNow(event::Location* location);
// The same, after work of the measurement itself.
EPIK_COLD void ChargeMeasurement(event::Location* location);
// For the trace: the calling thread's open call at that depth (outermost: 1) began without an event of its own, right
// after the last one.
EPIK_COLD void NoteAgain(uint32_t depth);

}  // namespace epik::counters

namespace epik::episode {

EPIK_HOT void Charge(event::Location* location) {
  if (EPIK_UNLIKELY(__atomic_load_n(&choice::hooks.counters_on, __ATOMIC_RELAXED))) counters::ChargeNow(location);
}

// The trace (EPK_TRACE).

inline constexpr uint64_t kNeverWorth = ~uint64_t{0};

// Whether the innermost call, which lasted `ticks`, may concern the trace.
EPIK_HOT bool IsForTrace(const event::Location* location, uint64_t ticks) {
  return ticks >= base::ReadShared(&location->worth) || location->top <= location->logged;
}

}  // namespace epik::episode

namespace epik::epilog {

// Ends the innermost call and logs it. In a trace of everything this is common, but still out of line.
__attribute__((noinline)) void PopLogged(event::Location* location, const event::Frame* frame, uint64_t left,
                                         uint64_t ticks);
// Logs the end of the innermost call, if it is selected; its frame is still there. True: EndLog must follow once the
// frame is gone. Events of a signal handler in between are not logged.
bool BeginLogEnd(event::Location* location, const event::Frame* frame, uint64_t left);
// True: the buffer was written meanwhile, and `last` is the time when that was done.
bool EndLog(event::Location* location);
// Logs the calls that are open and not in the trace yet, each with the time in its frame.
void LogOpenCalls(event::Location* location);
// Logs a call that has ended and was never on the stack.
void LogVisit(event::Location* location, uint32_t node, uint64_t entered, uint64_t left);

}  // namespace epik::epilog

namespace epik::episode {

// Fibers: stacks that the program switches to by itself (runtime/fibers). Asked on cold paths, and at each event once
// there are any (kStackWay).

// The stack address of a frame that is on no stack is this or above it.
inline constexpr uint64_t kNoPlace = ~uint64_t{0} >> 1;
inline bool IsPlace(uint64_t stack) { return stack < kNoPlace; }

}  // namespace epik::episode

namespace epik::fibers {

// True: the event is on another stack than the innermost frame, and hooks look at stacks from now on.
bool StartFollowing(event::Location* location, uint64_t stack);
// Takes away or puts back frames if the thread has come to another stack.
void FollowStack(event::Location* location, uint64_t stack, bool enters);
// Frames of the thread's own stack, below those of another one that the thread is on; 0: it is on its own.
uint32_t FramesBelowStack(const event::Location* location);
// How long the innermost frame has been on top of the one below it; `duration` of its whole visit.
uint64_t TicksOfLastPart(const event::Location* location, uint64_t now, uint64_t duration);

}  // namespace epik::fibers

namespace epik::episode {

// Two moments: the outermost call of a fiber that was resumed elsewhere is about to end, and it has ended.
struct LastPart {
  uint32_t node = 0;  // 0: it is not
  uint32_t outer = 0;
};

}  // namespace epik::episode

namespace epik::fibers {

episode::LastPart BeforeExit(const event::Location* location, event::Key key);
void AfterExit(event::Location* location, episode::LastPart part);

}  // namespace epik::fibers

#endif  // EPIK_RUNTIME_EPISODE_SEAMS_HOT_H_
