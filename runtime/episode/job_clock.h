// SPDX-License-Identifier: BSD-3-Clause
// How far the clocks of a job's processes are from that of rank 0.
#ifndef EPIK_RUNTIME_EPISODE_JOB_CLOCK_H_
#define EPIK_RUNTIME_EPISODE_JOB_CLOCK_H_

#include <cstdint>

#include "runtime/archive/group.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// Collective. `clock`: processes with the same number share one, and are not measured against each other. `now`: this
// process's, in nanoseconds. Offsets add up on the way from rank 0 down a binary tree, so that N processes take log N
// rounds; of each pair's exchanges the quickest counts.
event::ClockOffset SynchronizeClock(archive::Group* group, uint64_t clock, uint64_t (*now)());

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_JOB_CLOCK_H_
