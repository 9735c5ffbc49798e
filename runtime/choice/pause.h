// SPDX-License-Identifier: BSD-3-Clause
// Pauses the measurement of a thread, at its own request or from outside. Its time is one visit of the region "paused",
// or one for each call that was open at the begin of the pause and ended within it. Its events are neither counted nor
// lost.
#ifndef EPIK_RUNTIME_CHOICE_PAUSE_H_
#define EPIK_RUNTIME_CHOICE_PAUSE_H_

#include <cstdint>

#include "runtime/episode/location.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// Pauses nest; a resume without a pause is ignored.
void Pause(const void* stack);
void Resume(const void* stack);

// Returns the location of the calling thread while the thread pauses. Null: it does not pause, or it has no location.
event::Location* PausedLocation();

// EPK_MEASURE (gate.h).
// Enters a call of a measured thread; the thread pauses once the call's window is closed, however the call ends.
void EnterWithinGate(event::Key key, uint64_t stack);
void PauseOutsideGate(uint64_t stack);

// A jump skips returns while the thread is paused.
void JumpWhilePaused(uint64_t landing, episode::StackRange left);

void EndPause();     // the thread ends
void ForgetPause();  // in a forked child: it pauses if its parent did, but has no location to return to

extern const episode::Part pause_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_PAUSE_H_
