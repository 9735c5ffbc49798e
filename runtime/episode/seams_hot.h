// SPDX-License-Identifier: BSD-3-Clause
// What EPISODE asks of the rooms above it while events come. A function is declared here and defined in the room that
// its heading names. The linker joins them, so that a hook jumps there without loading a pointer first.
//
// What happens once in the life of a measurement or of a thread goes through the list of parts instead (part.h).
#ifndef EPIK_RUNTIME_EPISODE_SEAMS_HOT_H_
#define EPIK_RUNTIME_EPISODE_SEAMS_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/episode/hook_state.h"
#include "runtime/event/layout.h"

namespace epik::episode {

struct DefinedRegion;

// What is measured (EPK_FILTER, EPK_GROUPS, EPK_DEPTH, EPK_HOT, EPK_BUDGET, EPK_MEASURE, counters).

EPIK_HOT bool IsUnusual() { return __atomic_load_n(&hooks.unusual, __ATOMIC_RELAXED); }
inline void SeeEachEvent() { __atomic_store_n(&hooks.unusual, true, __ATOMIC_RELEASE); }

__attribute__((noinline)) void EnterUnusual(event::Key key, uint64_t stack);
__attribute__((noinline)) void ExitUnusual(event::Key key, uint64_t stack);
// The first event of a thread, which has its location now. True: the call is not measured, and that has been seen to.
bool IsOutAtFirst(event::Key key, uint64_t stack);
// While the calling thread pauses. True: the pause is over, and this very event counts.
bool EnterWhilePaused(event::Key key, uint64_t stack);
bool ExitWhilePaused(event::Key key, uint64_t stack);
// The measurement is paused from outside, and this thread enters a function. True: the thread pauses now, and the
// function is part of what is not measured.
bool PauseFromOutside(event::Location* location, event::Key key, uint64_t stack);
// A visit was timed that tells nothing about others of its call path.
void NoteTimed(uint32_t node);

// For a region that is about to be defined. No lock is held.
bool RegionIsOut(const DefinedRegion& region);
// The region has got its number, which its definer does not know yet.
void NoteRegion(const DefinedRegion& region, bool is_out);
// The module whose code was between these addresses is gone.
void ForgetCode(uint64_t begin, uint64_t end, uint64_t bias);

// Counters (EPK_METRICS). What was counted since the event before belongs to the call path that was current meanwhile,
// so it is added before that changes: then the sum over all call paths is what was counted.

// Reads all counters of the calling thread, whose location it is.
__attribute__((noinline)) void ChargeNow(event::Location* location);
// The same, when the measurement itself was at work since the last time.
EPIK_COLD void ChargeMeasurement(event::Location* location);

EPIK_HOT void Charge(event::Location* location) {
  if (EPIK_UNLIKELY(__atomic_load_n(&hooks.counters_on, __ATOMIC_RELAXED))) ChargeNow(location);
}

// The trace (EPK_TRACE).

inline constexpr uint64_t kNeverWorth = ~uint64_t{0};

// Whether the innermost call, which lasted `ticks`, has anything to do with the trace.
EPIK_HOT bool IsForTrace(const event::Location* location, uint64_t ticks) {
  return ticks >= __atomic_load_n(&location->worth, __ATOMIC_RELAXED) || location->top <= location->logged;
}

// The innermost call ends, and goes into the trace. Not rare when all calls do, but out of line.
__attribute__((noinline)) void PopLogged(event::Location* location, const event::Frame* frame, uint64_t left,
                                         uint64_t ticks);
// The end of the innermost call in the trace, if it is for it; its frame is still there. True: EndLog must follow once
// the frame is gone. In between, what a signal handler brings is not logged.
bool BeginLogEnd(event::Location* location, const event::Frame* frame, uint64_t left);
// True: the buffer had to be written meanwhile, and `last` is when that was done.
bool EndLog(event::Location* location);
// A call that is over and was never on the stack.
void LogVisit(event::Location* location, uint32_t node, uint64_t entered, uint64_t left);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_SEAMS_HOT_H_
