// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/window_wait.h"

namespace epik::patterns {

const PatternInfo kRmaLatePostInfo = {
    "mpi_rma_sync_late_post",
    "mpi_rma_sync_active",
    "Late Post",
    "Of MPI_Win_start, or of MPI_Win_complete, whichever was going on then: from its enter until the last process of "
    "its group entered MPI_Win_post. What the call before waited for is no waiting here.",
    "A process cannot access memory of others because they have not opened it yet.",
    "Let targets call MPI_Win_post earlier, before their computation."};

std::unique_ptr<Pattern> MakeRmaLatePost(uint32_t number, Severities* severities) {
  return std::make_unique<WindowWait>(kRmaLatePostInfo, number, severities, replay::WindowWait::Why::kPost, false);
}

}  // namespace epik::patterns
