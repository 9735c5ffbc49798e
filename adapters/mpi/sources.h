// SPDX-License-Identifier: BSD-3-Clause
// The processes from which this one gets data in a collective operation, as runs of equal steps, if these
// are not all processes. This process waits only for them.
#ifndef EPIK_ADAPTERS_MPI_SOURCES_H_
#define EPIK_ADAPTERS_MPI_SOURCES_H_

#include <mpi.h>

#include <cstdint>
#include <cstdlib>

#include "adapters/abi/abi.h"
#include "adapters/mpi/collectives.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/runs.h"

namespace epik::mpi {

// Adds the processes with counts above zero, as ranks of MPI_COMM_WORLD. Returns false if these are all or none.
template <class Counts>
bool AddSources(const Counts& counts, MPI_Comm comm, Runs* runs) {
  const int peers = MembersOf(comm).peers;
  int sources = 0;
  for (int i = 0; i < peers; ++i) sources += counts[i] != 0 ? 1 : 0;
  if (sources == 0 || sources == peers) return false;
  auto* ranks = static_cast<int32_t*>(std::malloc(sizeof(int32_t) * static_cast<size_t>(sources)));
  if (ranks == nullptr) return false;
  int32_t count = 0;
  for (int i = 0; i < peers; ++i) {
    if (counts[i] != 0) ranks[count++] = WorldRank(i, comm);
  }
  runs->Add(ranks, count);
  std::free(ranks);
  return true;
}
// Adds the neighbours that this process receives from. Returns false if it receives from nobody.
bool AddNeighbors(MPI_Comm comm, Runs* runs);

// Logs the runs. If there are too many, logs none, as if data came from all, and counts them as lost.
void LogRuns(uint64_t request, const event::RankRun* runs, uint32_t count);
// Whether these are some processes, and not all. Logs them in a trace.
template <class Counts>
bool TellSources(bool traces, uint64_t request, const Counts& counts, MPI_Comm comm) {
  Runs runs;
  if (!AddSources(counts, comm, &runs)) return false;
  if (traces) LogRuns(request, runs.data(), runs.count());
  return true;
}
void LogNeighbors(uint64_t request, MPI_Comm comm);

// A persistent operation has the same sources at each start.
void KeepSources(uint64_t key, Runs* runs);
template <class Counts>
void KeepSources(uint64_t key, const Counts& counts, MPI_Comm comm) {
  Runs runs;
  if (AddSources(counts, comm, &runs)) KeepSources(key, &runs);
}
void KeepNeighbors(uint64_t key, MPI_Comm comm);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_SOURCES_H_
