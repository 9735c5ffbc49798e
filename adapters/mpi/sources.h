// SPDX-License-Identifier: BSD-3-Clause
// For traces: the processes from which a collective operation brings this one data, if these are not all. This process
// waits only for them.
#ifndef EPIK_ADAPTERS_MPI_SOURCES_H_
#define EPIK_ADAPTERS_MPI_SOURCES_H_

#include <mpi.h>

#include <cstdint>
#include <cstdlib>

#include "adapters/abi/abi.h"
#include "adapters/mpi/collectives.h"
#include "adapters/mpi/comms.h"

namespace epik::mpi {

// Logs these ranks of MPI_COMM_WORLD as runs of equal steps. If there are too many runs, logs none, as if data came
// from all, and counts them as lost.
void LogPeers(uint64_t request, const int32_t* ranks, int32_t count);

// Logs the processes with counts above zero, unless these are all or none.
template <class Counts>
void LogSources(uint64_t request, const Counts& counts, MPI_Comm comm) {
  const int peers = MembersOf(comm).peers;
  int sources = 0;
  for (int i = 0; i < peers; ++i) sources += counts[i] != 0 ? 1 : 0;
  if (sources == 0 || sources == peers) return;
  auto* ranks = static_cast<int32_t*>(std::malloc(sizeof(int32_t) * static_cast<size_t>(sources)));
  if (ranks == nullptr) return epik_adapter_lost(1);
  int32_t count = 0;
  for (int i = 0; i < peers; ++i) {
    if (counts[i] != 0) ranks[count++] = WorldRank(i, comm);
  }
  LogPeers(request, ranks, count);
  std::free(ranks);
}

// Logs the neighbours that this process receives from.
void LogNeighbors(uint64_t request, MPI_Comm comm);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_SOURCES_H_
