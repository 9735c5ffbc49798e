// SPDX-License-Identifier: BSD-3-Clause
// EPK_WAITS: finds how long calls waited for other processes, for the summary and without a trace. The processes of a
// machine tell each other on a board when they began, in bulk: once 512 notes of a thread are new, at the first note
// after a quarter of a second, and in MPI_Finalize. Nobody sends anything. A call's waiting time is counted as not
// known if it waited for a process on another machine, or for notes that were overwritten or never came.
#ifndef EPIK_RUNTIME_MONITOR_WAITS_H_
#define EPIK_RUNTIME_MONITOR_WAITS_H_

#include <cstdint>

#include "runtime/event/collectives.h"
#include "runtime/event/layout.h"

namespace epik::monitor {

extern bool waits_on;

// The note with which the next exchange is due.
uint64_t WaitsDue(const event::CollectiveRing* ring);

// There is work to do. REQUIRES: the location is the caller's; locked (known.h), inside.
void ExchangeWaits(event::Location* location, uint64_t now);

// Whether a standard send of this size, which the caller's thread has made to a rank of MPI_COMM_WORLD, must be noted
// with its end (event::kStandardStep): it may have waited until its receive was posted.
bool MayNeedReceive(const event::Location* location, int32_t receiver, uint64_t bytes);

// This process has ended its measurement: tells the others all times that it has and that they have asked for. Settle:
// later, when all processes have told theirs; waiting times that are not known then never will be. REQUIRES: inside.
void TellLastWaits();
void SettleWaits();

void ForgetWaits();

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_WAITS_H_
