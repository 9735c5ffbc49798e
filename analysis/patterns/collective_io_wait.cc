// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kCollectiveIoWaitInfo = {
    "mpi_io_wait",
    "mpi_io_collective",
    "Wait at Collective I/O",
    "Of each process in MPI_File_read_all, MPI_File_write_all and their like: from its enter until the last process's, "
    "when no process left the call before.",
    "Collective input and output begins when all have come, and the early processes wait.",
    "Even out the work before it, or use MPI_File_iwrite_all and wait for it later."};

std::unique_ptr<Pattern> MakeCollectiveIoWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kCollectiveIoWaitInfo, number, severities, replay::Role::kFileData);
}

}  // namespace epik::patterns
