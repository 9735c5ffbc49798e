// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kLateBroadcastInfo = {
    "mpi_latebroadcast",
    "mpi_collective",
    "Late Broadcast",
    "Of each process but the root in MPI_Bcast or MPI_Scatter(v) that gets data: from its begin until the root's, at "
    "most until its own end. Of non-blocking ones, from the enter of the call that completes them.",
    "Processes wait for data of a root that has not come yet.",
    "Let the root do less before, or start it there earlier."};

std::unique_ptr<Pattern> MakeLateBroadcast(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kLateBroadcastInfo, number, severities, replay::Role::kOneToAll);
}

}  // namespace epik::patterns
