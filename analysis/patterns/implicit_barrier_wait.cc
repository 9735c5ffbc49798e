// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kImplicitBarrierWaitInfo = {
    "omp_ibarrier_wait",
    "omp_ibarrier",
    "Wait at Implicit Barrier",
    "Each thread of a team waits from its own enter of the barrier until the last thread enters, less the time in "
    "which it runs tasks meanwhile. If the trace does not have all threads, it waits until it leaves the barrier.",
    "Threads finish a loop, a construct or a region at different times, and the early ones wait at its end.",
    "Even out the work with another schedule or smaller chunks. Use nowait where the code that follows does not "
    "depend on it."};

std::unique_ptr<Pattern> MakeImplicitBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kImplicitBarrierWaitInfo, number, severities, replay::Role::kImplicitBarrier);
}

}  // namespace epik::patterns
