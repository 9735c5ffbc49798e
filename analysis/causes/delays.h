// SPDX-License-Identifier: BSD-3-Clause
// Finds which locations made others wait, and for how long. When R waits for S, it looks back to the last time at which
// both had waited for one another or for the same. Since then, S did some things longer than R (its delay), or waited
// itself. The wait is shared out among these causes. The share that falls on a wait of S is passed on, in the same way,
// to the location that S had waited for. So each nanosecond of waiting becomes the cost of some location's action: the
// sum of all costs is exactly the sum of all waits.
#ifndef EPIK_ANALYSIS_CAUSES_DELAYS_H_
#define EPIK_ANALYSIS_CAUSES_DELAYS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/causes/classes.h"
#include "analysis/graph/graph.h"
#include "analysis/graph/mixtures.h"
#include "archive/files/time_limit.h"

namespace epik::causes {

struct CostKey {
  uint32_t location, path;  // path kNone: the location had not begun, or the trace does not have its path
  Class kind;
  bool longterm;
  auto operator<=>(const CostKey&) const = default;
};

// All waits of a location at a call path.
struct Group {
  uint32_t location, path;
  Class kind;
  auto operator<=>(const Group&) const = default;
};
struct GroupFacts {
  int64_t ns = 0;
  int64_t indirect_ns = 0;     // because the location that it waited for had waited, too
  int64_t propagating_ns = 0;  // waits of others that these waits caused
  uint64_t instances = 0;
};
// One cause of a group of waits: an action of `location`, or its own waits.
struct Cause {
  uint32_t location, path;
  bool waited;
  Class kind;  // kind of the location's waits
  auto operator<=>(const Cause&) const = default;
};
struct CauseFacts {
  int64_t ns = 0;    // the part of the flow that has this cause
  int64_t more = 0;  // how much longer it took than at the locations that waited
};

// Where the waits of a group come from. A location that was waited for may have waited, too: of those waits, only what
// made this group wait counts, because the same calls may have waited for others at other times.
struct Flow {
  Group waits;
  std::map<Cause, CauseFacts> causes;
  std::map<Group, std::map<Cause, CauseFacts>> further;  // causes of the waits that are causes
};
constexpr size_t kMostFlows = 20;

struct Pair {
  uint32_t waiter, waited_for;
  auto operator<=>(const Pair&) const = default;
};

struct Delays {
  std::map<CostKey, int64_t> costs;
  std::map<Group, GroupFacts> groups;
  // The largest groups have flows, in order of size. Waits in MPI_Init have none, because a process that comes late had
  // not begun.
  std::vector<Flow> flows;
  std::map<Pair, int64_t> pairs;
  // Time in MPI_Recv for messages whose sender is not in the trace, by location and call path.
  std::map<std::pair<uint32_t, uint32_t>, int64_t> without_sender;
  int64_t waited_ns = 0;   // the sum of all waits
  int64_t unknown_ns = 0;  // the part whose cause is not in the trace
  // Threads of teams were idle for so long before the teams were made. Idleness has costs, but is not waiting.
  int64_t idle_ns = 0;
  uint64_t waits = 0;

  int64_t Cost() const;  // the sum of costs
  bool IsWhole() const { return Cost() == waited_ns + idle_ns; }
};

// `mixtures`: the parts of the time that a thread took longer.
Delays FindDelays(const graph::Graph& graph, const graph::Mixtures& mixtures = {},
                  const archive::TimeLimit& limit = {});

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_DELAYS_H_
