// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kFinalizeWaitInfo = {
    "mpi_finalize_wait",
    "mpi_init_exit",
    "Wait at Finalize",
    "Each process waits from its own enter of MPI_Finalize until the last process enters.",
    "Some processes finish their work earlier than others. The measurement ends where they enter MPI_Finalize.",
    "Even out the work at the end of the program."};

std::unique_ptr<Pattern> MakeFinalizeWait(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kFinalizeWaitInfo, number, severities, replay::Role::kFinalize);
}

}  // namespace epik::patterns
