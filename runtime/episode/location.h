// SPDX-License-Identifier: BSD-3-Clause
// Birth, retirement and registry of locations: one for each thread, reused when a thread has ended.
#ifndef EPIK_RUNTIME_EPISODE_LOCATION_H_
#define EPIK_RUNTIME_EPISODE_LOCATION_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// Where a thread comes from: the call path that created it. The nodes stay readable after their thread's end.
struct Origin {
  uint32_t node = 0;  // of the creator, 0: not known
};

// True while this thread is inside a cold function of the runtime. Events that come then (from a signal handler, or
// from an instrumented malloc that we called) are counted and otherwise ignored.
extern __thread bool inside;

class Inside {
 public:
  Inside() { inside = true; }
  ~Inside() { inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// Gives the calling thread a location whose outermost frame (the program's, or "thread" below the origin) opens now.
// Null when there is no memory for one. REQUIRES: inside.
event::Location* Attach(Origin origin, uint64_t now);

// A visit below the current call path that is over already. REQUIRES: inside.
void RecordVisit(event::Location* location, event::Key key, uint64_t duration);

// Whether the calling thread still has the location it was given, also while it is paused.
bool IsAttached();

// Closes what is open and gives the place back. REQUIRES: inside, and `location` belongs to the calling thread.
void Detach(event::Location* location, uint64_t now);

// Takes every thread's location away, so that nothing is written any more. Other threads may still run: a hook that is
// in the middle of its few instructions ends undisturbed.
void FreezeAll();

// In a forked child: no thread but the caller exists, and the memory is the parent's.
void ForgetAll();

// Closes every frame from `top` down to and with `index`, as returned at `now`.
void CloseFrames(event::Location* location, uint32_t index, uint64_t now);

// Part of the machine stack.
struct StackRange {
  uint64_t begin, end;
};

// A jump to `landing` skips returns: closes the frames that were entered further in, or on the stack that is `left`.
void CloseLeftBehind(event::Location* location, uint64_t landing, StackRange left, uint64_t now);

// Threads measured at the same time (ESD_MAX_THREADS); 0: any number.
extern uint32_t thread_limit;

// Frames kept for each location (ESD_FRAMES); 0: as many as fit.
extern uint32_t frame_limit;
extern uint32_t first_frames;  // room a new location starts with

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_LOCATION_H_
