// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/completion.h"

namespace epik::patterns {

const PatternInfo kBarrierCompletionInfo = {
    "mpi_barrier_completion",
    "mpi_sync_collective",
    "Barrier Completion",
    "Each process in MPI_Barrier: the time at its end, less the earliest end of all processes or their latest "
    "begin, whichever is later.",
    "All processes have come to the barrier. One has left it, and the others have not yet.",
    "Little can be done in the program: MPI and the machine take this time, or processes share a core."};

std::unique_ptr<Pattern> MakeBarrierCompletion(uint32_t number, Severities* severities) {
  return std::make_unique<Completion>(kBarrierCompletionInfo, number, severities, replay::Role::kBarrier);
}

}  // namespace epik::patterns
