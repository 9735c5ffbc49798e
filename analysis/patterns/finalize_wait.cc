// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kFinalizeWaitInfo = {
    "mpi_finalize_wait",
    "mpi_init_exit",
    "Wait at Finalize",
    "Of each process: from its enter of MPI_Finalize until the last one's.",
    "Some processes are through with their work earlier than others; measurement ends where they come to MPI_Finalize.",
    "Even out the work at the end of the program."};

std::unique_ptr<Pattern> MakeFinalizeWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kFinalizeWaitInfo, number, severities, replay::Role::kFinalize);
}

}  // namespace epik::patterns
