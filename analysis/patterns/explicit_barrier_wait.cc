// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kExplicitBarrierWaitInfo = {
    "omp_ebarrier_wait",
    "omp_ebarrier",
    "Wait at Explicit Barrier",
    "Each thread of a team waits from its own enter of the barrier until the last thread enters, less the time in "
    "which it runs tasks meanwhile. If the trace does not have all threads, it waits until it leaves the barrier.",
    "Threads come to a barrier that the program asks for at different times, and the early ones wait.",
    "Even out the threads' work before the barrier, or remove the barrier where nothing depends on it."};

std::unique_ptr<Pattern> MakeExplicitBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kExplicitBarrierWaitInfo, number, severities, replay::Role::kExplicitBarrier);
}

}  // namespace epik::patterns
