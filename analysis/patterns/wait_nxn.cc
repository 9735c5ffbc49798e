// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kWaitNxNInfo = {
    "mpi_wait_nxn",
    "mpi_collective",
    "Wait at N x N",
    "Each process in an operation in which every process needs data of all (MPI_Allreduce, MPI_Allgather(v), "
    "MPI_Alltoall(v, w), MPI_Reduce_scatter(_block)) waits from its own begin until the last process that gives "
    "data begins, at most until its own end. A process that gets no data does not wait. In neighbourhood "
    "collectives, and in MPI_Alltoallv and MPI_Alltoallw with data from some processes only, it waits for these "
    "alone. Between two groups, it waits for the other group; if no process left before all had come, for its own "
    "group, too. In non-blocking operations, a process waits from its enter of the call that completes them.",
    "No process can leave such an operation before the last one that it needs has come, so the early ones wait.",
    "Even out the work before it, start it earlier as a non-blocking operation, or make it needless."};

std::unique_ptr<Pattern> MakeWaitNxN(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kWaitNxNInfo, number, severities, replay::Role::kAllToAll,
                                          replay::Role::kNeighbours);
}

}  // namespace epik::patterns
