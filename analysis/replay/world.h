// SPDX-License-Identifier: BSD-3-Clause
// The world that replay knows beside events: processes, their threads, communicators, and the definitions of the
// numbers in events. archive_world.h makes it from an archive; tests make it by hand. Nothing here reads files.
#ifndef EPIK_ANALYSIS_REPLAY_WORLD_H_
#define EPIK_ANALYSIS_REPLAY_WORLD_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/replay/operations.h"
#include "archive/trace/clock.h"

namespace epik::replay {

// A map from numbers of a process, which may lie far apart, to their definitions.
template <typename T>
class NumberTable {
 public:
  // Ascending by number, each once.
  void Assign(std::vector<std::pair<uint32_t, T>> entries) {
    entries_ = std::move(entries);
    dense_.clear();
    if (entries_.empty()) return;
    const uint64_t last = entries_.back().first;
    // Forged numbers do not make a large table.
    if (last > kSparse * entries_.size() + kSmall) return;
    dense_.resize(last + 1, T());
    for (const auto& [number, value] : entries_) dense_[number] = value;
    entries_.clear();
  }
  T At(uint64_t number) const {
    if (number < dense_.size()) return dense_[number];
    if (entries_.empty()) return T();
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), number,
                                        [](const auto& entry, uint64_t wanted) { return entry.first < wanted; });
    return found != entries_.end() && found->first == number ? found->second : T();
  }

 private:
  static constexpr uint64_t kSparse = 64, kSmall = 1 << 20;
  std::vector<T> dense_;
  std::vector<std::pair<uint32_t, T>> entries_;
};

// A call path as a process numbers it.
struct NodeFacts {
  uint32_t path = kNone;      // in the definitions; kNone: no call path
  Operation operation;        // of the region it enters
  bool opens_window = false;  // before it, the trace lacks what happened outside of its windows (EPK_TRACE=window:…)
};

// A number of a process, which may have no definition.
struct Known {
  uint32_t number = kNone;
};

struct Communicator {
  std::vector<int32_t> ranks;   // in MPI_COMM_WORLD; empty: not known
  std::vector<int32_t> remote;  // ranks of the other group, if there is one
};

struct Process {
  int32_t rank = 0;
  uint32_t host = 0;
  archive::Clock clock;
  std::vector<uint32_t> locations;
  NumberTable<Known> threads;  // by Location::number: the location. World::Index makes it
  NumberTable<NodeFacts> nodes;
  NumberTable<Operation> regions;
  NumberTable<Known> communicators;
  NumberTable<Known> windows;
  bool waits_for_locks = false;  // whether its threads wait for locks of libc
  uint64_t end_ticks = 0;        // when it ended; 0: not known
  // The process ended with MPI_Finalize, in this call path: so it is known even if the trace does not have the call.
  uint32_t finalize_path = kNone;
  // The trace of the process lacks calls of MPI by choice (visits, windows, a ring, a pause): its n-th call need not
  // belong to the n-th call of another process.
  bool partial = false;
};

struct Location {
  uint32_t process = 0;
  uint32_t number = 0;      // of the thread within its process
  uint32_t column = kNone;  // of the profile
};

struct World {
  int32_t ranks = 0;  // of the job, including ranks that are not in the trace
  std::vector<Process> processes;
  std::vector<Location> locations;
  std::vector<Communicator> communicators;
  std::vector<uint32_t> windows;  // the communicator of each; kNone: not known
  uint32_t world_communicator = kNone;
  int64_t clock_error_ns = 0;
  bool has_windows = false;  // whether some node opens a window of the trace

  // kNone: the rank is not in the trace.
  uint32_t ProcessOf(int32_t rank) const {
    return rank >= 0 && static_cast<size_t>(rank) < process_of_.size() ? process_of_[static_cast<size_t>(rank)] : kNone;
  }
  // Call it after adding all processes and locations.
  void Index();

 private:
  std::vector<uint32_t> process_of_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_WORLD_H_
