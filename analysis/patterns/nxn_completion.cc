// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/completion.h"

namespace epik::patterns {

const PatternInfo kNxNCompletionInfo = {
    "mpi_nxn_completion",
    "mpi_collective",
    "N x N Completion",
    "Each process that gives and gets data in an operation of all with all: the time at its end, less the "
    "earliest end of such a process or the latest begin, whichever is later.",
    "All processes have come to the operation. One has left it, and the others have not yet.",
    "Little can be done in the program: MPI and the machine take this time, or processes share a core."};

std::unique_ptr<Pattern> MakeNxNCompletion(uint32_t number, Severities* severities) {
  return std::make_unique<Completion>(kNxNCompletionInfo, number, severities, replay::Role::kAllToAll);
}

}  // namespace epik::patterns
