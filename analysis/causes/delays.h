// SPDX-License-Identifier: BSD-3-Clause
// Finds what made others wait, and for how long. A wait of R for S goes back to the last time at which both had waited
// for one another or for the same: since then, S did some things longer than R (its delay), or waited itself. The wait
// is shared out among these. What falls on a wait of S goes on, in the same way, to whom S had waited for. So each
// nanosecond of waiting becomes the cost of something that somebody did: the sum of all costs is the sum of all waits,
// exactly.
#ifndef EPIK_ANALYSIS_CAUSES_DELAYS_H_
#define EPIK_ANALYSIS_CAUSES_DELAYS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/causes/classes.h"
#include "analysis/graph/graph.h"
#include "analysis/graph/mixtures.h"

namespace epik::causes {

struct CostKey {
  uint32_t location, path;  // path kNone: it had not begun, or the trace does not say
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
  int64_t indirect_ns = 0;     // because who was waited for had waited
  int64_t propagating_ns = 0;  // that made others wait
  uint64_t instances = 0;
};
// One cause of a group of waits: what `location` did, or its own waits.
struct Cause {
  uint32_t location, path;
  bool waited;
  Class kind;  // of its waits
  auto operator<=>(const Cause&) const = default;
};
struct CauseFacts {
  int64_t ns = 0;    // of the group's time
  int64_t more = 0;  // how much longer it took than where others waited
};

struct Pair {
  uint32_t waiter, waited_for;
  auto operator<=>(const Pair&) const = default;
};

// The worst wait at a call path.
struct Instance {
  uint32_t location = graph::kNone, partner = graph::kNone;
  int64_t from = 0, to = 0;
};

struct Delays {
  std::map<CostKey, int64_t> costs;
  std::map<Group, GroupFacts> groups;
  std::map<Group, std::map<Cause, CauseFacts>> causes;
  std::map<Pair, int64_t> pairs;
  std::map<std::pair<Class, uint32_t>, Instance> worst;  // by call path
  int64_t waited_ns = 0;                                 // all of it
  int64_t unknown_ns = 0;                                // of it, whose cause is not in the trace
  // Threads of teams were idle for so long before the teams were made. Idleness has costs, but is not waiting.
  int64_t idle_ns = 0;
  uint64_t waits = 0;

  int64_t Cost() const;  // the sum of costs
  bool IsWhole() const { return Cost() == waited_ns + idle_ns; }
};

// `mixtures`: the parts of the time that a thread took longer.
Delays FindDelays(const graph::Graph& graph, const graph::Mixtures& mixtures = {});

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_DELAYS_H_
