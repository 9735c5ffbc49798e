// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kLateBroadcastInfo = {
    "mpi_latebroadcast",
    "mpi_collective",
    "Late Broadcast",
    "Each process that gets data from the root of MPI_Bcast or MPI_Scatter(v) waits from its own begin until the "
    "root begins, at most until its own end. In non-blocking operations, it waits from its enter of the call that "
    "completes them.",
    "Processes wait for the data of a root that has not come yet.",
    "Let the root do less before, or let it start the operation earlier."};

std::unique_ptr<Pattern> MakeLateBroadcast(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kLateBroadcastInfo, number, severities, replay::Role::kOneToAll);
}

}  // namespace epik::patterns
