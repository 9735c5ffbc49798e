// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kExplicitBarrierCreationInfo = {
    "omp_ebarrier_creation",
    "omp_ebarrier_wait",
    "Wait for Creation of Tasks at Explicit Barrier",
    "The part of Wait at Explicit Barrier in which a thread waited for the task that it ran next: from its coming, or "
    "the end of the task before, until another thread created it.",
    "Threads are ready to run tasks, and one thread does not create them fast enough.",
    "Let several threads create tasks (a taskloop, or tasks that create tasks), or create larger tasks."};

std::unique_ptr<Pattern> MakeExplicitBarrierCreation(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kExplicitBarrierCreationInfo, number, severities, replay::Role::kExplicitBarrier,
                                       InBarrier::kCreation);
}

}  // namespace epik::patterns
