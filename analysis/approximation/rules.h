// SPDX-License-Identifier: BSD-3-Clause
// By which model a run is approximated, and what comes out for a point.
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
  kTime,     // threads wait for each other at forks and at barriers of teams alone (1991, time-based)
  kEvent,    // … at everything that the trace tells; who had a lock before whom stays (1991, event-based; 2005)
  kLiberal,  // … and pieces of dynamic loops go to whichever thread is free (1991)
};

struct Rules {
  Model model = Model::kEvent;
  Bound bound = Bound::kEstimate;
  bool paper = false;                        // sends never wait, as in the paper of 2005
  bool locks_wait = true;                    // false: a lock is free whenever somebody asks for it
  const Network* network = nullptr;          // null: the one that the run had
  const Rescheduled* rescheduled = nullptr;  // null: each thread did what it would have done
  const Placement* placement = nullptr;      // null: ranks are on the hosts that they were on
};

// Nanoseconds of the graph's time.
struct Moment {
  double begin = 0, end = 0;
  // The point whose time decided when this one ended; not known: what the location did itself.
  graph::Place decided_by;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_RULES_H_
