// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kThreadBarrierWaitInfo = {
    "pthread_barrier_wait",
    "pthread_barrier",
    "Wait at Barrier of Threads",
    "Each thread at a barrier of libc (pthread_barrier_wait) waits from its own enter until the last thread "
    "enters. If the trace does not have all threads, it waits until it leaves the barrier.",
    "Threads come to a barrier at different times, and the early ones wait.",
    "Even out the work between barriers, or use fewer of them."};

std::unique_ptr<Pattern> MakeThreadBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kThreadBarrierWaitInfo, number, severities, replay::Role::kThreadBarrier);
}

}  // namespace epik::patterns
