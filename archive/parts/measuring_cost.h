// SPDX-License-Identifier: BSD-3-Clause
// What measuring took of a location's CPU time, by what the program did there: how often it called what, how well a
// processor could guess the next callee, how far away the call paths lay, how many were made. And what to compare that
// with: the time the location computed, which is neither waiting nor idle nor others' use of the processor.
#ifndef EPIK_ARCHIVE_PARTS_MEASURING_COST_H_
#define EPIK_ARCHIVE_PARTS_MEASURING_COST_H_

#include <functional>
#include <vector>

#include "archive/metrics/sampled_times.h"
#include "runtime/event/layout.h"

namespace epik::archive {

// Ticks, as the process calibrated them.
struct CallPrices {
  double pair = 0;     // an enter and exit whose place is known before
  double fan = 0;      // where the processor cannot guess which callee comes
  double untimed = 0;  // that are counted and not timed
  double spread = 0;   // of `pair` between begin and end of the run, half of it, as a share
};
CallPrices PricesOf(const event::ProcessHeader& header);

// Which part of a program's doing a node is.
enum class Doing : uint8_t {
  kCall,        // a function, a user region
  kMpi,         // whoever is in it waits or communicates
  kWorkOpenMp,  // a construct with the user's code in it
  kWaitOpenMp,  // barriers, locks, idle threads
  kWait,        // of threads for each other
  kOwn,         // the measurement's own region
  kNothing      // no call path
};

struct LocationCost {
  double calls = 0;        // ticks that enter and exit took, timed and untimed
  double paths = 0;        // ticks that making call paths took
  double total = 0;        // both
  double error = 0;        // ticks that `total` may be off
  double visits = 0;       // that were timed
  double timed = 0;        // ticks that these took
  double computed = 0;     // ticks of CPU time in which it did not wait, this cost included
  double elapsed = 0;      // ticks from its begin to its end
  double queued = 0;       // ticks it was ready to run while others had the processor
  double stretch() const;  // wall time for a second of CPU time
};

// `nodes`: closed, with estimates, callers first and not less than their callees. `doing` of a node by its key.
LocationCost CostOf(const event::Location& location, const std::vector<event::Node>& nodes,
                    const std::vector<SampledNode>& sampled, const std::function<Doing(const event::Node&)>& doing,
                    const CallPrices& prices, double ticks_per_ns);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_MEASURING_COST_H_
