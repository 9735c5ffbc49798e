// SPDX-License-Identifier: BSD-3-Clause
// What threads took of the processors: their CPU time, and how long they were ready to run and others had it. The cost
// of measuring is compared with that (docs/choosing.md), since time spent waiting is no measure for it.
//
// Read when a thread comes, when it ends, and rarely in between: a killed run leaves the last reading.
#ifndef EPIK_RUNTIME_EPISODE_EFFORT_H_
#define EPIK_RUNTIME_EPISODE_EFFORT_H_

#include <cstdint>

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// When the library comes into the program: what ran before an exec is not the program's.
void NoteEffortOnLoad();

// In cold functions, of the calling thread: reads when the last reading is long ago.
void ReadEffortRarely(event::Location* location, uint64_t now);

// At the end of the measurement: of every thread that is still there. Async-signal-safe.
void ReadEfforts();

extern const Part effort_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_EFFORT_H_
