// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/completion.h"

namespace epik::patterns {

const PatternInfo kInitCompletionInfo = {
    "mpi_init_completion",
    "mpi_init_exit",
    "Initialization Completion",
    "Of each process: its end of MPI_Init, less the earliest end or the latest enter of all, whichever is later.",
    "All have started, one has left MPI_Init, and others have not yet.",
    "It is the time of MPI and of the machine: of connections that are made, and of processes that share a core."};

std::unique_ptr<Pattern> MakeInitCompletion(uint32_t number, Severities* severities) {
  return std::make_unique<Completion>(kInitCompletionInfo, number, severities, replay::Role::kInit);
}

}  // namespace epik::patterns
