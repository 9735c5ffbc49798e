// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/completion.h"

namespace epik::patterns {

const PatternInfo kNxNCompletionInfo = {
    "mpi_nxn_completion",
    "mpi_collective",
    "N x N Completion",
    "Of each process that gives and gets data in an operation of all with all: its end, less the earliest end of such "
    "a process or the latest begin, whichever is later.",
    "All have come to the operation, one has left it, and others have not yet.",
    "Little can be done in the program: it is the time of MPI and of the machine, or of processes that share a core."};

std::unique_ptr<Pattern> MakeNxNCompletion(uint32_t number, Severities* severities) {
  return std::make_unique<Completion>(kNxNCompletionInfo, number, severities, replay::Role::kAllToAll);
}

}  // namespace epik::patterns
