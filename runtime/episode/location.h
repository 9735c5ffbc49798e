// SPDX-License-Identifier: BSD-3-Clause
// Birth, retirement and registry of locations: one for each thread, reused when a thread has ended.
#ifndef EPIK_RUNTIME_EPISODE_LOCATION_H_
#define EPIK_RUNTIME_EPISODE_LOCATION_H_

#include <cstdint>

#include "runtime/base/floats_apart.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/base/thread_memory.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// The call path that created a thread. The nodes stay readable after their thread's end.
struct Origin {
  uint32_t node = 0;      // of the creator, 0: not known
  bool measured = false;  // the creator was measured
};

// True while this thread is inside a cold function of the runtime. Events that come then (from a signal handler, or
// from an instrumented malloc that we called) are counted and otherwise ignored.
extern __thread bool inside;

// Blocks signals: code in here takes locks, and a handler that calls exit() or jumps away would keep them.
class Inside {
 public:
  Inside() : before_(inside) { inside = true; }
  ~Inside() { inside = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  base::SignalsBlocked blocked_;
  base::FloatsApart floats_;
  bool before_;
};

// How many pauses of the calling thread have no resume yet, and the call path on which the first began. While there is
// a pause, the thread has no location.
extern __thread unsigned pauses;
extern base::PerThread<uint32_t> paused_at;

// The place on the stack of the cold function that this thread is in; 0: in none.
extern base::PerThread<uint64_t> cold_stack;

// Gives the calling thread a location whose outermost frame (the program's, or "thread" below the origin) opens now.
// Null when there is no memory for one, or it has one. REQUIRES: inside.
event::Location* Attach(Origin origin, uint64_t now);

// Set while Attach makes a location for a thread of an OpenMP pool: its number in the team + 1. Its outermost frame is
// then that of an idle thread, and its location gets that number if it is free.
extern base::PerThread<uint32_t> joins_team_as;

// Records a visit below the current call path that has ended already. REQUIRES: inside.
void RecordVisit(event::Location* location, event::Key key, uint64_t begin, uint64_t duration);

// Whether the calling thread still has the location it was given, also while it is paused.
bool IsAttached();

// Makes `location`, which the calling thread had put aside, its current one, unless FreezeAll took it away meanwhile.
void PutBack(event::Location* location);

// Closes what is open and gives the place back. REQUIRES: inside, and `location` belongs to the calling thread.
void Detach(event::Location* location, uint64_t now);

// The same for the calling thread, at any point at which it may have been cancelled. REQUIRES: inside.
void DetachThisThread(uint64_t now);

// Forgets the calling thread, which is about to end. Writes nothing. REQUIRES: inside.
void LeaveThisThread();

// Whether the calling thread has a location, even while it is at work on it or pauses.
bool HasLocation();

// Every location that a thread has now. REQUIRES: inside.
void ForEachLocation(void (*change)(event::Location*));

// Takes every thread's location away and gives out no more, so that nothing is written. Other threads may still run: a
// hook that is in the middle of its few instructions ends undisturbed. Waits for threads that are ending.
void FreezeAll();

// In a forked child: no thread but the caller exists, and the memory is the parent's.
void ForgetAll();

// Part of the machine stack.
struct StackRange {
  uint64_t begin, end;
};

// Whether a jump to `landing` skips the frame at `stack`. A handler may have a stack of its own at any address: a jump
// that leaves it skips everything on it, and a jump that stays on it skips nothing elsewhere.
bool IsLeft(uint64_t stack, uint64_t landing, StackRange handlers);
inline constexpr uint64_t kHookBelowCaller = 16;  // a frame is noted by its hook: below return address and saved base

// The location of a thread that jumps to `landing`, or null when there is nothing to repair. A jump out of a handler
// may leave a cold function of ours for good; then the thread is measured again.
event::Location* LocationAfterJump(uint64_t landing, StackRange left);

// Closes the frames whose returns a jump to `landing` skips: frames entered further in, or on the stack that is `left`.
void CloseLeftBehind(event::Location* location, uint64_t landing, StackRange left, uint64_t now);

// Threads measured at the same time (ESD_MAX_THREADS); 0: any number.
extern uint32_t thread_limit;

// EPK_OVERFLOW=stop: a thread that comes to a new call path when memory is full is not measured any more. Its open
// calls stay open, and its time from then on belongs to the call path that was current.
extern bool stop_when_full;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_LOCATION_H_
