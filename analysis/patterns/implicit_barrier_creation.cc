// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kImplicitBarrierCreationInfo = {
    "omp_ibarrier_creation",
    "omp_ibarrier_wait",
    "Wait for Creation of Tasks at Implicit Barrier",
    "The part of Wait at Implicit Barrier in which a thread waited for the task that it ran next: from its coming, or "
    "the end of the task before, until another thread created it.",
    "Threads are ready to run tasks, and one thread does not create them fast enough.",
    "Let several threads create tasks (a taskloop, or tasks that create tasks), or create larger tasks."};

std::unique_ptr<Pattern> MakeImplicitBarrierCreation(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kImplicitBarrierCreationInfo, number, severities, replay::Role::kImplicitBarrier,
                                       InBarrier::kCreation);
}

}  // namespace epik::patterns
