// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kImplicitBarrierWaitInfo = {
    "omp_ibarrier_wait",
    "omp_ibarrier",
    "Wait at Implicit Barrier",
    "Of each thread of a team: from its enter of the barrier until the last one's, less the time in which it ran tasks "
    "meanwhile.",
    "Threads are through with a loop, a construct or a region at different times, and the early ones wait at its end.",
    "Even out the work: another schedule, smaller chunks; or nowait where what follows does not depend on it."};

std::unique_ptr<Pattern> MakeImplicitBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kImplicitBarrierWaitInfo, number, severities, replay::Role::kImplicitBarrier);
}

}  // namespace epik::patterns
