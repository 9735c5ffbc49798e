// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/sources.h"

#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/requests.h"
#include "runtime/event/trace.h"

namespace epik::mpi {
namespace {

constexpr uint32_t kMostRuns = 256;

// Fills in the neighbours that this process receives from, as ranks of `comm`; open ends of a grid have no neighbour.
int32_t FindSources(MPI_Comm comm, int count, int* sources) {
  int shape = MPI_UNDEFINED;
  pmpi.Topo_test(comm, &shape);
  if (shape == MPI_GRAPH) {
    int rank = 0;
    pmpi.Comm_rank(comm, &rank);
    return pmpi.Graph_neighbors(comm, rank, count, sources) == MPI_SUCCESS ? count : 0;
  }
  if (shape == MPI_DIST_GRAPH) {
    int in = 0, out = 0, is_weighted = 0;
    pmpi.Dist_graph_neighbors_count(comm, &in, &out, &is_weighted);
    auto* others = static_cast<int*>(std::malloc(sizeof(int) * static_cast<size_t>(in + 2 * out + 1)));
    if (others == nullptr) return 0;
    const int error = pmpi.Dist_graph_neighbors(comm, in, sources, others, out, others + in, others + in + out);
    std::free(others);
    return error == MPI_SUCCESS ? count : 0;
  }
  int32_t found = 0;
  for (int i = 0; i < count / 2; ++i) {
    int ends[2] = {MPI_PROC_NULL, MPI_PROC_NULL};
    pmpi.Cart_shift(comm, i, 1, &ends[0], &ends[1]);
    for (const int end : ends) {
      if (end != MPI_PROC_NULL) sources[found++] = end;
    }
  }
  return found;
}

}  // namespace

bool AddNeighbors(MPI_Comm comm, Runs* runs) {
  const Neighbors neighbors(comm);
  if (neighbors.in() == 0) return false;
  auto* ranks = static_cast<int32_t*>(std::malloc(sizeof(int32_t) * static_cast<size_t>(neighbors.in())));
  if (ranks == nullptr) return false;
  const int32_t count = FindSources(comm, neighbors.in(), ranks);
  for (int32_t i = 0; i < count; ++i) ranks[i] = WorldRank(ranks[i], comm);
  runs->Add(ranks, count);
  std::free(ranks);
  return true;
}

void LogRuns(uint64_t request, const event::RankRun* runs, uint32_t count) {
  if (count > kMostRuns) return epik_adapter_lost(count);
  for (uint32_t i = 0; i < count; ++i) {
    const event::RankRun& run = runs[i];
    const uint64_t fields[] = {static_cast<uint64_t>(int64_t{run.first}), static_cast<uint64_t>(int64_t{run.step}),
                               static_cast<uint64_t>(run.count), request};
    epik_adapter_record(static_cast<uint32_t>(event::RecordKind::kCollectivePeers), fields);
  }
}

void LogNeighbors(uint64_t request, MPI_Comm comm) {
  Runs runs;
  if (AddNeighbors(comm, &runs)) LogRuns(request, runs.data(), runs.count());
}

void KeepSources(uint64_t key, Runs* runs) {
  const uint32_t count = runs->count();
  event::RankRun* all = runs->Take();
  if (!SetSources(key, all, count)) std::free(all);
}

void KeepNeighbors(uint64_t key, MPI_Comm comm) {
  Runs runs;
  if (AddNeighbors(comm, &runs)) KeepSources(key, &runs);
}

}  // namespace epik::mpi
