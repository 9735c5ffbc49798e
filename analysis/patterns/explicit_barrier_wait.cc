// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kExplicitBarrierWaitInfo = {
    "omp_ebarrier_wait",
    "omp_ebarrier",
    "Wait at Explicit Barrier",
    "Of each thread of a team: from its enter of the barrier until the last one's, less the time in which it ran tasks "
    "meanwhile.",
    "Threads come to a barrier that the program asks for at different times, and the early ones wait.",
    "Even out the work of the threads before it, or leave it out where nothing depends on it."};

std::unique_ptr<Pattern> MakeExplicitBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kExplicitBarrierWaitInfo, number, severities, replay::Role::kExplicitBarrier);
}

}  // namespace epik::patterns
