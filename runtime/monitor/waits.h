// SPDX-License-Identifier: BSD-3-Clause
// EPK_WAITS: how long calls of collectives waited for other processes, in the summary and without a trace. Processes of
// a machine read each other's rings of collective calls, rarely and in bulk: when half of the own ring is new, after a
// call that everybody had to come to, and in MPI_Finalize. Nobody sends anything. What waited for a process that is
// elsewhere, was overwritten or never came is counted as not known.
#ifndef EPIK_RUNTIME_MONITOR_WAITS_H_
#define EPIK_RUNTIME_MONITOR_WAITS_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

extern bool waits_on;

// The event of a new ring with which its `due` comes.
uint64_t FirstDue(uint64_t capacity);

// `due` has come. REQUIRES: the location is the caller's. `stack`: frame of the caller.
void ExchangeWaits(event::Location* location, const void* stack);

// All processes of the job have ended their measurement. What is not known now never will be. REQUIRES: inside.
void SettleWaits();

void ForgetWaits();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_MONITOR_WAITS_H_
