// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kEarlyScanInfo = {
    "mpi_earlyscan",
    "mpi_collective",
    "Early Scan",
    "Each process in MPI_Scan or MPI_Exscan waits from its own begin until the last process among the ranks up to "
    "its own begins, at most until its own end. In non-blocking operations, it waits from its enter of the call "
    "that completes them.",
    "A process needs the values of all ranks below its own, and some of them come later.",
    "Even out the work before it, so that low ranks do not come later than high ones."};

std::unique_ptr<Pattern> MakeEarlyScan(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kEarlyScanInfo, number, severities, replay::Role::kScan);
}

}  // namespace epik::patterns
