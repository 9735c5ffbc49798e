// SPDX-License-Identifier: BSD-3-Clause
// Rows go up the tree of a scope. Rows of different places add up: each station passes on its own and those from below
// as one. Times are seconds of the sender's clock; its receiver moves them to its own.
#ifndef EPIK_TOOLS_SCOPES_ROWS_H_
#define EPIK_TOOLS_SCOPES_ROWS_H_

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/event/summary.h"

namespace epik::scopes {

using event::Running;
using event::Summary;

// The part of one process in a collective call.
struct Part {
  uint64_t communicator = 0;  // the same in all processes
  uint32_t sequence = 0;
  int32_t rank = -1;
  uint32_t thread = 0;
  uint32_t path = 0;  // by number, the same for all processes
  // The same time twice: another call completes the operation, so nobody waited in this one.
  double entered = 0, left = 0;

  bool HasLasted() const { return left > entered; }
};

// Several parts of a call as one, with the process that came last.
struct Meeting {
  uint64_t communicator = 0;
  uint32_t sequence = 0;
  uint32_t count = 0;  // processes
  int32_t last = -1;   // rank
  uint32_t path = 0;   // of the last process
  double entered = 0;  // by the last process
  double before = 0;   // sum of the times by which the others came earlier

  void Merge(const Meeting& other) {
    const Meeting& later = other.entered > entered ? other : *this;
    const Meeting& earlier = other.entered > entered ? *this : other;
    const double step = later.entered - earlier.entered;
    before = later.before + earlier.before + step * earlier.count;
    count += other.count;
    last = later.last;
    path = later.path;
    entered = later.entered;
  }
};

// How often a rank came last to the calls of a call path, and how much earlier the others came on average.
struct LastArrival {
  uint64_t communicator = 0;
  uint32_t path = 0;
  int32_t rank = -1;
  uint64_t count = 0;
  double late = 0;  // seconds, of all of them together
};

struct WrapperKey {
  uint32_t path = 0;
  int32_t rank = -1;
  uint32_t thread = 0;
  auto operator<=>(const WrapperKey&) const = default;
};

// The calls of one thread at one call path.
struct WrapperRow {
  WrapperKey key;
  uint32_t reserved = 0;
  Summary total;      // from its enter to its exit
  Summary arrival;    // from its enter to the last process's; 0: it ended before that
  Summary departure;  // from the first process's exit to its own
};

// The same since the program began, computed by the job itself (EPK_MONITOR_STATISTICS).
struct ComputedRow {
  WrapperRow calls;
};

// The stages of such calls when they go along a tree (EPK_COLL_TREE).
struct StageRow {
  WrapperKey key;
  uint32_t reserved = 0;
  Summary down;    // until all processes below have contributed
  Summary onward;  // until the result has come from above
  Summary up;      // until it has been passed on
};

struct LinkKey {
  uint64_t communicator = 0;
  uint32_t path = 0;  // of the parent
  int32_t parent = -1, child = -1;
  uint32_t reserved = 0;
  auto operator<=>(const LinkKey&) const = default;
};

struct LinkRow {
  LinkKey key;
  // to the parent and back, without the time until the result was there, in calls in which the parent came before the
  // contribution
  Summary latency;
  Summary behind;     // how much later than the parent's first contribution this one came
  uint64_t last = 0;  // how often it was the last contribution
};

// One end of a link in a call.
struct HalfLink {
  LinkKey key;
  uint32_t sequence = 0;
  uint32_t is_child = 0;
  double kept = 0;  // the child: until the result was there. The parent: until it sent the result
  // The parent: how long it waited for this contribution, or for one before it that came while it waited.
  double awaited = 0;
};

// The work of processes since the last time.
struct Work {
  uint64_t processes = 0;
  double interval = 0;  // since the reading before
  // outside of MPI and of OpenMP's waiting: summed over all processes, and for the process with most of it
  double useful = 0, most = 0;
  double visits = 0, entered = 0;  // of the region whose progress is wanted: so far, in the interval
  uint64_t standing = 0;           // processes that stand still in a call of MPI at this moment …
  uint64_t in_collectives = 0;     // … and those of them that are in a collective one
  uint64_t arrived = 0;            // processes that are in a collective call of MPI, also for a short time only …
  double arrived_for = 0;          // … and seconds since they entered it, together

  // Adds what the same process did after that. A process that has ended is in no balance.
  void Follow(const Work& next) {
    processes = next.processes;
    interval += next.interval;
    useful = most = processes == 0 ? 0 : useful + next.useful;
    visits = next.visits;
    entered += next.entered;
    standing = next.standing;
    in_collectives = next.in_collectives;
    arrived = next.arrived;
    arrived_for = next.arrived_for;
  }
  // Adds other processes.
  void Merge(const Work& other) {
    processes += other.processes;
    interval = std::max(interval, other.interval);
    useful += other.useful;
    most = std::max(most, other.most);
    visits += other.visits;
    entered += other.entered;
    standing += other.standing;
    in_collectives += other.in_collectives;
    arrived += other.arrived;
    arrived_for += other.arrived_for;
  }
};

// Processes whose call path is the same at this moment.
struct StandingRow {
  double seconds = 0;  // since its last region was entered: the longest time
  uint32_t path = 0;
  int32_t rank = -1;    // the lowest one
  uint32_t count = 0;   // of processes
  uint32_t stands = 0;  // 1: they stand still in a call of MPI; 0: they do not
};

// All rows that one scope passes on at a time.
struct Rows {
  std::vector<Part> parts;        // parts of calls that are not complete here; without reduction, of all calls
  std::vector<Meeting> meetings;  // the same for a scope that asks only for the last processes
  std::vector<LastArrival> arrivals;
  std::vector<WrapperRow> wrappers;
  std::vector<ComputedRow> computed;
  std::vector<StageRow> stages;
  std::vector<LinkRow> links;
  std::vector<HalfLink> halves;
  std::vector<StandingRow> standing;
  Work work;
  double waited = 0;        // seconds that all processes waited for the last processes
  uint64_t gathered = 0;    // calls whose parts were combined
  uint64_t incomplete = 0;  // calls that lack a part for ever
  uint64_t unknown = 0;     // calls that are in none of the job's statistics

  // Calls visit(list) for each list.
  template <class Self, class Visit>
  static void ForEachList(Self& rows, Visit visit) {
    visit(rows.parts);
    visit(rows.meetings);
    visit(rows.arrivals);
    visit(rows.wrappers);
    visit(rows.computed);
    visit(rows.stages);
    visit(rows.links);
    visit(rows.halves);
    visit(rows.standing);
  }
};

// Rows go over the network as they are in memory, so they must have no padding.
static_assert(sizeof(Part) == 40 && sizeof(Meeting) == 40 && sizeof(LastArrival) == 32 && sizeof(Summary) == 48 &&
              sizeof(WrapperRow) == 160 && sizeof(StageRow) == 160 && sizeof(LinkKey) == 24 && sizeof(LinkRow) == 128 &&
              sizeof(HalfLink) == 48 && sizeof(Work) == 80 && sizeof(StandingRow) == 24);

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_ROWS_H_
