// SPDX-License-Identifier: BSD-3-Clause
// Work that some threads have more of than others, while these wait.
#ifndef EPIK_REPORT_VIEWS_IMBALANCES_H_
#define EPIK_REPORT_VIEWS_IMBALANCES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/figures.h"
#include "report/views/polling.h"

namespace epik::report {

struct Imbalance {
  uint32_t region = archive::kNone;
  bool is_whole = false;        // a parallel region with all computation in it; else a region without its callees
  std::vector<double> seconds;  // by location; negative: it neither runs the region nor waits
  size_t count = 0, ran = 0;    // locations that run it or wait; that run it
  size_t waiting = 0;           // others that have as much free time as could be saved
  uint32_t busiest = 0;         // location
  double most = 0, mean = 0;    // seconds: of the busiest; of all that run it or wait
  double saved = 0;             // seconds: busiest less mean, as far as the others have free time
};

// Regions are compared and not call paths, because different threads call the same loop from different call paths. The
// costliest comes first; of many, a hundred of each kind are enough.
std::vector<Imbalance> FindImbalances(const Figures& figures, const std::vector<PollingLoop>& polling);

// The call path of the region that has most time.
uint32_t HottestPath(const Figures& figures, uint32_t region);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_IMBALANCES_H_
