// SPDX-License-Identifier: BSD-3-Clause
// When this process left its last call of MPI that communicates (EPK_WAITS). Senders must know whether it was in MPI
// after their send had begun, and before it posted the receive: some MPIs move small messages then.
#ifndef EPIK_ADAPTERS_MPI_ABSENCE_H_
#define EPIK_ADAPTERS_MPI_ABSENCE_H_

#include <cstdint>

#include "runtime/base/compiler.h"

namespace epik::mpi {

// The present call of this thread communicates: the trace has records of it, too.
extern __thread bool communicates;

// Whether a call may move data of others: one that only begins something hardly does.
enum class Stays : uint8_t { kYes, kNo, kProbes };
Stays StaysIn(const char* name);

// At the end of each call in which messages are noted. `left`: when it ended; 0: the clock has not been read. Returns
// when it ended if that is known now.
EPIK_COLD uint64_t LeftCall(Stays stays, uint64_t left);

// For how long the process had communicated in no call when one was entered that posts a receive, as its step tells
// that.
uint32_t AbsenceBefore(uint64_t entered);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_ABSENCE_H_
