// SPDX-License-Identifier: BSD-3-Clause
// Tells by the name of a collective operation which of its processes wait for which.
#ifndef EPIK_RUNTIME_EVENT_COLLECTIVE_ROLES_H_
#define EPIK_RUNTIME_EVENT_COLLECTIVE_ROLES_H_

#include <cstdint>
#include <string_view>

namespace epik::event {

enum class CollectiveRole : uint8_t {
  kNone,  // no collective operation, or processes wait for only some of the others
  kBarrier,
  kAllToAll,  // processes that get data wait for all that give some
  kOneToAll,  // processes that get data wait for the root
  kAllToOne,  // the root waits for the processes that give data
  kScan,      // each process waits for the ranks before it
  kFinalize,  // all wait for the last one; the measurement ends here
  // These are no collective operations, but processes wait in them, too.
  kLateSender,
  kLateReceiver
};
inline constexpr CollectiveRole kRolesThatWait[] = {
    CollectiveRole::kBarrier, CollectiveRole::kAllToAll, CollectiveRole::kOneToAll,   CollectiveRole::kAllToOne,
    CollectiveRole::kScan,    CollectiveRole::kFinalize, CollectiveRole::kLateSender, CollectiveRole::kLateReceiver};

struct CollectiveName {
  std::string_view name;  // without MPI_
  CollectiveRole role;
};

inline constexpr CollectiveName kCollectiveNames[] = {
    {"Barrier", CollectiveRole::kBarrier},
    {"Allreduce", CollectiveRole::kAllToAll},
    {"Allgather", CollectiveRole::kAllToAll},
    {"Allgatherv", CollectiveRole::kAllToAll},
    {"Alltoall", CollectiveRole::kAllToAll},
    {"Alltoallv", CollectiveRole::kAllToAll},
    {"Alltoallw", CollectiveRole::kAllToAll},
    {"Reduce_scatter", CollectiveRole::kAllToAll},
    {"Reduce_scatter_block", CollectiveRole::kAllToAll},
    {"Bcast", CollectiveRole::kOneToAll},
    {"Scatter", CollectiveRole::kOneToAll},
    {"Scatterv", CollectiveRole::kOneToAll},
    {"Reduce", CollectiveRole::kAllToOne},
    {"Gather", CollectiveRole::kAllToOne},
    {"Gatherv", CollectiveRole::kAllToOne},
    {"Scan", CollectiveRole::kScan},
    {"Exscan", CollectiveRole::kScan},
    {"Finalize", CollectiveRole::kFinalize},
};

// The name without the prefix of MPI or of its extensions, and without _c, the end of functions with large counts.
// Empty: the region is no function of MPI.
constexpr std::string_view NameInMpi(std::string_view region) {
  if (region.substr(0, 4) != "MPI_" && region.substr(0, 5) != "MPIX_") return {};
  region.remove_prefix(region.find('_') + 1);
  if (region.size() > 2 && region.substr(region.size() - 2) == "_c") region.remove_suffix(2);
  return region;
}

// The role of a region.
constexpr CollectiveRole RoleOfCollective(std::string_view region) {
  region = NameInMpi(region);
  for (const CollectiveName& row : kCollectiveNames) {
    if (row.name == region) return row.role;
  }
  return CollectiveRole::kNone;
}

// The role of an operation that this region begins and another call completes: its name has an I before it, or _init
// behind it.
constexpr CollectiveRole RoleOfBegun(std::string_view region) {
  region = NameInMpi(region);
  const bool persistent = region.size() > 5 && region.substr(region.size() - 5) == "_init";
  if (persistent) region.remove_suffix(5);
  if (!persistent && !region.empty() && region.front() == 'I') region.remove_prefix(1);
  for (const CollectiveName& row : kCollectiveNames) {
    const bool same = row.name.substr(1) == region.substr(region.empty() ? 0 : 1);
    if (same && !region.empty() && (row.name.front() | 32) == (region.front() | 32)) return row.role;
  }
  return CollectiveRole::kNone;
}

// The wait state of a role, as analysis/patterns names it; null: the role has no wait state.
constexpr const char* WaitStateOf(CollectiveRole role) {
  switch (role) {
    case CollectiveRole::kBarrier: return "mpi_barrier_wait";
    case CollectiveRole::kAllToAll: return "mpi_wait_nxn";
    case CollectiveRole::kOneToAll: return "mpi_latebroadcast";
    case CollectiveRole::kAllToOne: return "mpi_earlyreduce";
    case CollectiveRole::kScan: return "mpi_earlyscan";
    case CollectiveRole::kFinalize: return "mpi_finalize_wait";
    case CollectiveRole::kLateSender: return "mpi_latesender";
    case CollectiveRole::kLateReceiver: return "mpi_latereceiver";
    case CollectiveRole::kNone: break;
  }
  return nullptr;
}

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_COLLECTIVE_ROLES_H_
