// SPDX-License-Identifier: BSD-3-Clause
// Computes the CPU time that measuring took in a location, from the work of the program there: the calls of each call
// path, how well a processor could guess the next callee, the work of each function, the distance of call paths in
// memory, and the number of new call paths. Also computes the time to compare it with: the time in which the location
// computed, without waiting, idling, and the time in which others had its processor.
#ifndef EPIK_ARCHIVE_PARTS_MEASURING_COST_H_
#define EPIK_ARCHIVE_PARTS_MEASURING_COST_H_

#include <functional>
#include <vector>

#include "archive/metrics/sampled_times.h"
#include "archive/metrics/visit_price.h"
#include "archive/parts/event_kinds.h"
#include "runtime/event/layout.h"

namespace epik::archive {

// Prices in ticks, as the process calibrated them.
struct CallPrices {
  double pair = 0;     // of an enter and exit at a predictable place
  double fan = 0;      // where the processor cannot predict the callee
  double untimed = 0;  // of an enter and exit that is counted and not timed
  double spread = 0;   // half the relative difference of `pair` between begin and end of the run
  // The prices of a pair in a function that works (archive/metrics/visit_price.h); negative: not known.
  double behind_least = -1, behind_most = -1;
};
CallPrices PricesOf(const event::ProcessHeader& header);

struct LocationCost {
  double calls = 0;          // ticks that enter and exit took, timed and untimed
  double paths = 0;          // ticks that making call paths took
  double total = 0;          // both
  double error = 0;          // the total may be larger by this
  double least = 0;          // the least total
  double visits = 0;         // timed ones
  double timed = 0;          // ticks of the timed visits' cost
  double computed = 0;       // ticks of CPU time without waits, with the cost
  double computed_most = 0;  // the most that it may be
  double elapsed = 0;        // ticks from its begin to its end
  double queued = 0;         // ticks it was ready to run while others had the processor
  double stretch = 1;        // wall time that a second of CPU time takes
  // For each node, the price of a visit as windows of the run measured it, in ticks; `likely` is negative when they did
  // not. Empty when no window measured a price.
  std::vector<Price> measured;
};

// `nodes`: closed, with estimates; callers come first and are not less than their callees. `kind_of` gives the kind of
// a node's event.
LocationCost CostOf(const event::Location& location, const std::vector<event::Node>& nodes,
                    const std::vector<SampledNode>& sampled,
                    const std::function<EventKind(const event::Node&)>& kind_of, const CallPrices& prices,
                    double ticks_per_ns);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_MEASURING_COST_H_
