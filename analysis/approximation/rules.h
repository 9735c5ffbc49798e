// SPDX-License-Identifier: BSD-3-Clause
// The model by which a run is approximated, and the result for a point.
#ifndef EPIK_ANALYSIS_APPROXIMATION_RULES_H_
#define EPIK_ANALYSIS_APPROXIMATION_RULES_H_

#include <cstdint>

#include "analysis/approximation/change.h"
#include "analysis/approximation/prices.h"
#include "analysis/graph/graph.h"

namespace epik::approximation {

class Placement;
class Rescheduled;

enum class Model : uint8_t {
  kTime,     // threads wait for each other only at forks and at barriers of teams (1991, time-based)
  kEvent,    // … at every dependence that the trace has; the order of lock owners stays (1991, event-based; 2005)
  kLiberal,  // … and pieces of dynamic loops go to whichever thread is free (1991)
};

struct Rules {
  Model model = Model::kEvent;
  Bound bound = Bound::kEstimate;
  bool paper = false;                        // sends never wait, as in the paper of 2005
  bool locks_wait = true;                    // false: a lock is always free
  const Network* network = nullptr;          // null: the run's own network
  const Rescheduled* rescheduled = nullptr;  // null: each thread does its own work
  const Placement* placement = nullptr;      // null: ranks stay on their hosts
};

// Nanoseconds of the graph's time.
struct Moment {
  double begin = 0, end = 0;
  // The point that decided when this one ended; unknown: the location's own work decided.
  graph::Place decided_by;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_RULES_H_
