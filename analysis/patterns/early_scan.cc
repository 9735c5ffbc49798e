// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kEarlyScanInfo = {
    "mpi_earlyscan",
    "mpi_collective",
    "Early Scan",
    "Of each process in MPI_Scan or MPI_Exscan: from its begin until the last one's of the ranks up to its own, at "
    "most until its own end. Of non-blocking ones, from the enter of the call that completes them.",
    "A process needs the values of all ranks below its own, and some of them come later.",
    "Even out the work before it, so that low ranks are not later than high ones."};

std::unique_ptr<Pattern> MakeEarlyScan(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kEarlyScanInfo, number, severities, replay::Role::kScan);
}

}  // namespace epik::patterns
