// SPDX-License-Identifier: BSD-3-Clause
// EPK_MONITOR_STATISTICS: each thread computes the statistics of its own collective calls and stores them where
// monitors find them. For each call, the processes of a machine put the last enter and the first exit on pages of the
// board. The work is done in bulk, after a call or in a call of EPK_COLL_TREE that waits anyway.
#ifndef EPIK_RUNTIME_MONITOR_STATISTICS_H_
#define EPIK_RUNTIME_MONITOR_STATISTICS_H_

#include <cstdint>

#include "runtime/event/collectives.h"
#include "runtime/event/layout.h"

namespace epik::monitor {

extern bool statistics_on;

// Sets the note at which the statistics of a ring are due.
void SetStatisticsDue(event::CollectiveRing* ring);

// Processes new notes, and now and then shows the results to monitors. REQUIRES: the location is the caller's; locked
// (known.h), inside.
void ComputeStatistics(event::Location* location, uint64_t now);

void ForgetStatistics();

// Changes a communicator's identity into the stream of its pages of statistics, so that these are not the pages of
// EPK_WAITS.
inline constexpr uint64_t kStatisticsSalt = 0x73746174;

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_STATISTICS_H_
