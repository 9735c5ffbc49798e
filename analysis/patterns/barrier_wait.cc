// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kBarrierWaitInfo = {
    "mpi_barrier_wait",
    "mpi_sync_collective",
    "Wait at Barrier",
    "Of each process in MPI_Barrier: from its begin until the last one's, at most until its own end. Of MPI_Ibarrier "
    "the same, from the enter of the call that completes it.",
    "Processes come to a barrier at different times, and the early ones wait for the last.",
    "Even out the work before the barrier, or do without it: MPI calls that depend on each other need none."};

std::unique_ptr<Pattern> MakeBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kBarrierWaitInfo, number, severities, replay::Role::kBarrier);
}

}  // namespace epik::patterns
