// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kCommWaitInfo = {
    "mpi_comm_wait",
    "mpi_mgmt_comm",
    "Wait at Communicator Management",
    "Of each process that makes or frees a communicator (MPI_Comm_dup, MPI_Comm_split, MPI_Cart_create, MPI_Comm_free "
    "…): from its enter until the last process's, when no process left the call before. Of MPI_Comm_idup, it waits in "
    "the call that completes the request.",
    "Making a communicator brings its processes together, and the early ones wait.",
    "Make communicators once, where processes are together anyway, and keep them."};

std::unique_ptr<Pattern> MakeCommWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kCommWaitInfo, number, severities, replay::Role::kMakeComm,
                                          replay::Role::kFreeComm);
}

}  // namespace epik::patterns
