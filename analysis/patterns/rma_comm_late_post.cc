// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/window_wait.h"

namespace epik::patterns {

const PatternInfo kRmaCommLatePostInfo = {
    "mpi_rma_comm_late_post",
    "mpi_rma_communication",
    "Late Post at Access",
    "Of the longest access (MPI_Put, MPI_Get …) of an epoch to a process, when that one entered MPI_Win_post "
    "meanwhile: from the enter of the access until then.",
    "A process cannot access memory of another one because that has not opened it yet.",
    "Let targets call MPI_Win_post earlier, before their computation."};

std::unique_ptr<Pattern> MakeRmaCommLatePost(uint32_t number, Severities* severities) {
  return std::make_unique<WindowWait>(kRmaCommLatePostInfo, number, severities, replay::WindowWait::Why::kPost, true);
}

}  // namespace epik::patterns
