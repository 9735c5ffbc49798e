// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kImplicitBarrierTasksInfo = {
    "omp_ibarrier_tasks",
    "omp_ibarrier",
    "Wait for Tasks at Implicit Barrier",
    "Of each thread of a team, after all had come to the barrier: from then, or from the end of its own task before, "
    "until the last task of another thread ended meanwhile, or the task that it ran next was created.",
    "All have come to the barrier, but some threads still run tasks and there are none for the others.",
    "Make tasks smaller, create the long ones first, or give them a priority."};

std::unique_ptr<Pattern> MakeImplicitBarrierTasks(uint32_t number, Severities* severities) {
  return std::make_unique<TeamBarrier>(kImplicitBarrierTasksInfo, number, severities, replay::Role::kImplicitBarrier,
                                       InBarrier::kTasks);
}

}  // namespace epik::patterns
