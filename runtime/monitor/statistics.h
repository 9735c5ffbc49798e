// SPDX-License-Identifier: BSD-3-Clause
// EPK_MONITOR_STATISTICS: each thread computes the statistics of its own collective calls, where monitors find them.
// The processes of a machine put on pages of the board for each call when the last one came and the first one left. The
// work is done in bulk, after a call or in one of EPK_COLL_TREE that waits anyway.
#ifndef EPIK_RUNTIME_MONITOR_STATISTICS_H_
#define EPIK_RUNTIME_MONITOR_STATISTICS_H_

#include <cstdint>

#include "runtime/event/collectives.h"
#include "runtime/event/layout.h"

namespace epik::monitor {

extern bool statistics_on;

// With which note of a new ring they are due, and when.
void SetStatisticsDue(event::CollectiveRing* ring, uint64_t now);

// Works off what is new, and now and then shows it to monitors. REQUIRES: the location is the caller's; locked
// (known.h), inside.
void ComputeStatistics(event::Location* location, uint64_t now);

void ForgetStatistics();

// Their pages are those of a communicator's identity, changed by this; those of EPK_WAITS are others.
inline constexpr uint64_t kStatisticsSalt = 0x73746174;

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_STATISTICS_H_
