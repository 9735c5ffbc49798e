// SPDX-License-Identifier: BSD-3-Clause
// The CPU time of threads, and the time in which they were ready to run while others had the processors. Reports
// compare the cost of measuring with it (docs/choosing.md), because the time spent waiting says nothing about that
// cost.
//
// It is read when a thread begins, when it ends, and rarely in between: a killed run leaves the last reading.
#ifndef EPIK_RUNTIME_EPISODE_EFFORT_H_
#define EPIK_RUNTIME_EPISODE_EFFORT_H_

#include <cstdint>

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// Called when the library is loaded: CPU time before an exec is not the program's.
void NoteEffortOnLoad();

// Called in cold functions: reads the calling thread's CPU time if the last reading is long ago.
void ReadEffortRarely(event::Location* location, uint64_t now);

// Called at the end of the measurement: reads the CPU time of every living thread. Async-signal-safe.
void ReadEfforts();

extern const Part effort_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_EFFORT_H_
