// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kFileWaitInfo = {"mpi_file_wait",
                                   "mpi_mgmt_file",
                                   "Wait at File Management",
                                   "Of each process that opens, closes or changes a file of MPI: from its enter until "
                                   "the last process's, when no process left the call before.",
                                   "Processes open and close a file together, and the early ones wait.",
                                   "Open files once, where processes are together anyway."};

std::unique_ptr<Pattern> MakeFileWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kFileWaitInfo, number, severities, replay::Role::kFile);
}

}  // namespace epik::patterns
