// SPDX-License-Identifier: BSD-3-Clause
// Adds up the calls of one location in a trace by call path, as the runtime does.
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_CALLS_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_CALLS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "archive/parts/process_part.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/teams.h"

namespace epik::archive {

// The sums of a node, in ticks.
struct CallSums {
  uint32_t node = 0;
  uint32_t path = kNone;
  bool is_artificial = false;  // a region of the measurement, not a call of the program
  bool called = false;
  uint64_t visits = 0;
  uint64_t exclusive = 0;
  uint64_t min = ~uint64_t{0};
  uint64_t max = 0;
  double squares = 0;
  uint64_t unfinished = 0;
  uint64_t cut_off = 0;  // visits that the end of the trace cut off

  void AddVisit(uint64_t ticks) {
    ++visits;
    max = std::max(max, ticks);
    squares += static_cast<double>(ticks) * static_cast<double>(ticks);
    min = std::min(min, ticks);
  }
};

// The last part of a task whose earlier parts were interrupted.
struct ResumedTask {
  uint32_t node;
  uint64_t task;
  uint64_t ticks;
};

// For each task that was interrupted and continued, on any thread: the ticks of its parts, without the last part.
using TaskParts = std::map<uint64_t, uint64_t>;

struct LocationCalls {
  std::vector<CallSums> sums;  // of the nodes with calls, by node
  std::vector<ResumedTask> resumed;
  TaskParts parts;
};

// Finds the sums of a node fast, because the nodes of a process have consecutive numbers.
class SumsByNode {
 public:
  // Returns the place of the sums, for operator[]. `make(&sums)` completes the sums of a new node.
  template <typename Make>
  uint32_t PlaceOf(uint32_t node, const Make& make) {
    if (all_.empty()) first_ = node - node % kChunk;
    const uint32_t near = node - first_;
    if (near < near_.size() && near_[near] != 0) return near_[near] - 1;
    return Find(node, near, make);
  }
  CallSums& operator[](uint32_t place) { return all_[place]; }
  // Returns the sums of all nodes with calls, sorted by node.
  std::vector<CallSums> Take();

 private:
  static constexpr uint32_t kNear = 1 << 20;
  static constexpr uint32_t kChunk = 256;  // lines that a thread gets at a time: a node may be older than the first one

  template <typename Make>
  [[gnu::noinline]] uint32_t Find(uint32_t node, uint32_t near, const Make& make) {
    if (near < kNear && near >= near_.size()) near_.resize(std::max<size_t>(near + 1, 2 * near_.size()));
    uint32_t* place = near < kNear ? &near_[near] : &far_[node];
    if (*place == 0) {
      all_.emplace_back();
      all_.back().node = node;
      make(&all_.back());
      *place = static_cast<uint32_t>(all_.size());
    }
    return *place - 1;
  }

  std::vector<CallSums> all_;
  // A thread's nodes are lines of the arena, from its first chunk of nodes on. The nodes of all earlier threads are
  // below.
  uint32_t first_ = 0;
  std::vector<uint32_t> near_;  // node - first_ -> place in all_, from 1
  std::map<uint32_t, uint32_t> far_;
};

class Calls {
 public:
  Calls(const TraceArchive& archive, uint32_t process) : archive_(archive), process_(process) {}

  void Take(const Event& event);
  // Call it after the last event.
  LocationCalls Finish();

 private:
  struct Open {
    uint32_t place;      // of its node in sums_
    bool is_new = true;  // it has made no call yet
    bool is_task = false;
    bool is_part = false;  // a part of a task that does not end here
    bool is_resumed = false;
    bool is_folded = false;  // a task that counts in the call path of its creator, and is no visit
    bool has_ended = false;
    uint64_t entered;
    uint64_t below = 0;   // ticks of its callees
    uint64_t task = 0;    // the task that it is, or is a part of
    uint64_t stack = 0;   // the stack that the thread is about to leave: the call continues later
    uint64_t before = 0;  // ticks of its parts so far
  };
  // The calls on a stack that the thread has left, with the outermost call last.
  using Suspended = std::vector<Open>;

  uint32_t PlaceOf(uint32_t node);
  bool IsOfRole(const CallSums& sums, std::string_view role) const;
  bool IsInFinalize();
  void Enter(uint32_t node, uint64_t time);
  void TakeRecord(const Event& event);
  void Switch(uint64_t time, bool on);
  // The time without the time that the trace was off.
  uint64_t Measured(uint64_t time) const { return (is_off_ ? off_since_ : time) - skipped_; }
  void BeginTask(const Event& event);
  void EndTask();
  void LeaveStack(uint64_t stack, uint64_t calls);
  void ComeBack(uint64_t stack, uint64_t calls);
  void Abandon(Suspended* suspended, uint64_t but);
  void GoOn();
  void Close(uint64_t time, bool unfinished, bool cut_off);
  bool Suspend(const Open& call, uint64_t ticks);

  const TraceArchive& archive_;
  uint32_t process_;
  std::vector<Open> open_;
  std::map<uint64_t, Suspended> stacks_;
  uint64_t back_ = 0;  // of stacks_: the one that the thread came back to, until all its calls continue
  SumsByNode sums_;
  LocationCalls found_;
  uint64_t last_ = 0;
  bool is_off_ = false;  // the trace
  uint64_t off_since_ = 0, skipped_ = 0;
};

// Returns values by node, in the order in which the runtime made the nodes, as process_part.cc adds them. `limited`:
// the part of the thread's idle time with limited parallelism. `parts`: those of tasks of all locations of the process.
std::vector<Value> ValuesOf(const TraceArchive& archive, uint32_t process, LocationCalls calls, const TaskParts& parts,
                            const LimitedVisits& limited);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_CALLS_H_
