// SPDX-License-Identifier: BSD-3-Clause
// Records that tell which message or operation the next record is about, in traces that may lack some.
#ifndef EPIK_ADAPTERS_MPI_COUNTING_H_
#define EPIK_ADAPTERS_MPI_COUNTING_H_

#include <cstdint>

#include "adapters/mpi/channels.h"

namespace epik::mpi {

// MPI is up. If messages and operations are counted now, they are counted from the start; otherwise they may be since
// the trace was first switched off.
void RememberWhatCounts();

void LogTurn(const Turn& turn);
void LogTurnOfOperation(uint32_t sequence);
// In all traces: a persistent operation's `_init` among those of its communicator, and its start among those of
// `_init`.
void LogTurnOfStart(uint64_t init, uint32_t start);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_COUNTING_H_
