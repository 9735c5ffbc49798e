// SPDX-License-Identifier: BSD-3-Clause
// An adapter may keep a frame for each thread, as MPI's does for the outermost call. A longjmp, or an exception, that
// leaves this frame does not tell the adapter.
#ifndef EPIK_RUNTIME_EPISODE_JUMPS_H_
#define EPIK_RUNTIME_EPISODE_JUMPS_H_

#include <cstdint>

#include "runtime/episode/location.h"

namespace epik::episode {

// Returns the place where the adapter keeps the frame of the calling thread. The place holds null while the thread has
// no such frame.
using KeptFrame = const void** (*)();

// REQUIRES: one adapter does this.
void KeepFrame(KeptFrame frame);

// Forgets the kept frame if a jump to `landing` leaves it (IsLeft). Async-signal-safe.
void ForgetLeftFrame(uint64_t landing, StackRange left);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_JUMPS_H_
