// SPDX-License-Identifier: BSD-3-Clause
// A thread that asks not to be measured for a while, or that is told so from outside. Its time is one visit of the
// region "paused", or one for each call that was open when it began and ended within it; its events are neither counted
// nor called lost.
#ifndef EPIK_RUNTIME_EPISODE_PAUSE_H_
#define EPIK_RUNTIME_EPISODE_PAUSE_H_

#include <cstdint>

#include "runtime/episode/location.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// How often the calling thread paused without resuming. While it is not 0 the thread has no location.
extern __thread unsigned pauses;

// Pauses nest; a resume too many is ignored.
void Pause(const void* stack);
void Resume(const void* stack);

// Whether somebody outside wants the whole measurement to pause.
bool IsPauseWanted();

// The whole measurement is paused from outside (runtime/event/control.h), and this thread enters a function. True: it
// is paused now, and the function is part of what is not measured.
bool PauseFromOutside(event::Location* location, event::Key key, uint64_t stack);

// EPK_MEASURE (gate.h). The calling thread has just got its location; `within`: it was created by a measured one, or
// belongs to a team. False: it pauses.
bool BeginAtGate(event::Location* location, bool within);
// A call that is entered by a thread that is measured, and whatever happens to it: it pauses once its window is closed.
void EnterWithinGate(event::Key key, uint64_t stack);
void PauseOutsideGate(uint64_t stack);

// What comes while a thread is paused. True: that is over, and this very event counts.
bool EnterWhilePaused(event::Key key, uint64_t stack);
bool ExitWhilePaused(event::Key key, uint64_t stack);

// A jump skips returns while the thread is paused.
void JumpWhilePaused(uint64_t landing, StackRange left);

// The call path on which the calling thread paused; 0 when it did not.
uint32_t NodeOfPause();

// EPK_OVERFLOW=stop: a thread that comes to a new call path when memory is full is measured no more. Its open calls
// stay open, and its time from then on is that of the call path it had come to.
extern bool stop_when_full;
void StopThisThread();

void EndPause();     // the thread ends
void ForgetPause();  // in a forked child: it is as paused as its parent was, but has no location to return to

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_PAUSE_H_
