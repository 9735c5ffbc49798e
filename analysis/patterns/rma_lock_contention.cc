// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/window_wait.h"

namespace epik::patterns {

const PatternInfo kRmaLockContentionInfo = {
    "mpi_rma_sync_lock_competition",
    "mpi_rma_sync_passive",
    "Contention at Window",
    "Of the call of a lock epoch (MPI_Win_lock, MPI_Win_flush, MPI_Win_unlock) that was going on when those that had "
    "the lock before entered their MPI_Win_unlock: from its enter until then. The order of epochs is that of their "
    "ends.",
    "A process waits for another one to give back the lock of a window.",
    "Hold locks for shorter times, share them (MPI_LOCK_SHARED), or spread the accesses over several windows."};

std::unique_ptr<Pattern> MakeRmaLockContention(uint32_t number, Severities* severities) {
  return std::make_unique<WindowWait>(kRmaLockContentionInfo, number, severities, replay::WindowWait::Why::kLock,
                                      false);
}

}  // namespace epik::patterns
