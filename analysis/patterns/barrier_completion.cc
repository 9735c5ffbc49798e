// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/completion.h"

namespace epik::patterns {

const PatternInfo kBarrierCompletionInfo = {
    "mpi_barrier_completion",
    "mpi_sync_collective",
    "Barrier Completion",
    "Of each process in MPI_Barrier: its end, less the earliest end or the latest begin of all, whichever is later.",
    "All have come to the barrier, one has left it, and others have not yet.",
    "Little can be done in the program: it is the time of MPI and of the machine, or of processes that share a core."};

std::unique_ptr<Pattern> MakeBarrierCompletion(uint32_t number, Severities* severities) {
  return std::make_unique<Completion>(kBarrierCompletionInfo, number, severities, replay::Role::kBarrier);
}

}  // namespace epik::patterns
