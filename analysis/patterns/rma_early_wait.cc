// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/window_wait.h"

namespace epik::patterns {

const PatternInfo kRmaEarlyWaitInfo = {
    "mpi_rma_early_wait",
    "mpi_rma_sync_active",
    "Early Wait",
    "Of MPI_Win_wait: from its enter until the last process of its group entered MPI_Win_complete, at most until its "
    "own leave.",
    "A target waits for those that access its memory.",
    "Let the target do something else first, or let the others call MPI_Win_complete earlier."};

std::unique_ptr<Pattern> MakeRmaEarlyWait(uint32_t number, Severities* severities) {
  return std::make_unique<WindowWait>(kRmaEarlyWaitInfo, number, severities, replay::WindowWait::Why::kComplete, false);
}

}  // namespace epik::patterns
