// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kWaitNxNInfo = {
    "mpi_wait_nxn",
    "mpi_collective",
    "Wait at N x N",
    "Of each process in an operation in which everybody needs data of all (MPI_Allreduce, MPI_Allgather(v), "
    "MPI_Alltoall(v, w), MPI_Reduce_scatter(_block)): from its begin until the last one's that gives data, at most "
    "until its own end. Who gets no data does not wait. Of non-blocking ones, from the enter of the call that "
    "completes them.",
    "Nobody can leave such an operation before the last process has come, so the early ones wait.",
    "Even out the work before it, start it earlier as a non-blocking operation, or make it needless."};

std::unique_ptr<Pattern> MakeWaitNxN(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kWaitNxNInfo, number, severities, replay::Role::kAllToAll);
}

}  // namespace epik::patterns
