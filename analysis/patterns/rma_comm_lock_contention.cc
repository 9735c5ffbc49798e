// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/window_wait.h"

namespace epik::patterns {

const PatternInfo kRmaCommLockContentionInfo = {
    "mpi_rma_comm_lock_competition",
    "mpi_rma_communication",
    "Contention at Access",
    "Of the longest access of a lock epoch, when it was going on while those that had the lock before entered their "
    "MPI_Win_unlock: from its enter until then.",
    "An access waits for another process to give back the lock of the window.",
    "Hold locks for shorter times, share them (MPI_LOCK_SHARED), or spread the accesses over several windows."};

std::unique_ptr<Pattern> MakeRmaCommLockContention(uint32_t number, Severities* severities) {
  return std::make_unique<WindowWait>(kRmaCommLockContentionInfo, number, severities, replay::WindowWait::Why::kLock,
                                      true);
}

}  // namespace epik::patterns
