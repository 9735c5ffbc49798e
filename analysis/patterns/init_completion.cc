// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/completion.h"

namespace epik::patterns {

const PatternInfo kInitCompletionInfo = {
    "mpi_init_completion",
    "mpi_init_exit",
    "Initialization Completion",
    "Each process: the time at its end of MPI_Init, less the earliest end of all processes or their latest enter, "
    "whichever is later.",
    "All processes have started. One has left MPI_Init, and the others have not yet.",
    "MPI and the machine take this time: they make connections, or processes share a core."};

std::unique_ptr<Pattern> MakeInitCompletion(uint32_t number, Severities* severities) {
  return std::make_unique<Completion>(kInitCompletionInfo, number, severities, replay::Role::kInit);
}

}  // namespace epik::patterns
