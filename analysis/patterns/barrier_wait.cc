// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kBarrierWaitInfo = {
    "mpi_barrier_wait",
    "mpi_sync_collective",
    "Wait at Barrier",
    "Each process in MPI_Barrier waits from its own begin until the last process begins, at most until its own "
    "end. Between two groups, that is the last one of the other group, or of both if no process left before all had "
    "come. In MPI_Ibarrier, it waits from its enter of the call that completes the barrier.",
    "Processes come to a barrier at different times, and the early ones wait for the last.",
    "Even out the work before the barrier, or remove the barrier: MPI calls that depend on each other need none."};

std::unique_ptr<Pattern> MakeBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kBarrierWaitInfo, number, severities, replay::Role::kBarrier);
}

}  // namespace epik::patterns
