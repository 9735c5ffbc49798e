// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kRmaWaitAtFreeInfo = {
    "mpi_rma_wait_at_free",
    "mpi_mgmt_win",
    "Wait at Window Release",
    "Of each process in MPI_Win_free: from its enter until the last process's, when no process left the call before.",
    "A window goes away only when nobody uses it any more, so the early processes wait.",
    "Free windows at the end, or where processes are together anyway."};

std::unique_ptr<Pattern> MakeRmaWaitAtFree(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kRmaWaitAtFreeInfo, number, severities, replay::Role::kFreeWindow);
}

}  // namespace epik::patterns
