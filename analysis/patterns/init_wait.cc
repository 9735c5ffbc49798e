// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kInitWaitInfo = {
    "mpi_init_wait",
    "mpi_init_exit",
    "Wait at Initialization",
    "Of each process in MPI_Init: from its enter until the last process's, at most until its own leave.",
    "Processes of the job start at different times, and MPI_Init lasts until all have.",
    "Look at the launcher and at what the program does before MPI_Init: files that all read, or libraries on a slow "
    "disk."};

std::unique_ptr<Pattern> MakeInitWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kInitWaitInfo, number, severities, replay::Role::kInit);
}

}  // namespace epik::patterns
