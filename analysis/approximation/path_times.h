// SPDX-License-Identifier: BSD-3-Clause
// Times of call paths without measurement, from a profile alone. The cost of visits is taken off where the program
// computes. The length of a wait depends on other locations, and a profile does not tell which: such a time is a
// bracket.
#ifndef EPIK_ANALYSIS_APPROXIMATION_PATH_TIMES_H_
#define EPIK_ANALYSIS_APPROXIMATION_PATH_TIMES_H_

#include <vector>

#include "analysis/approximation/prices.h"

namespace epik::approximation {

// Seconds of a call path itself, over all locations.
struct PathTime {
  double measured = 0, least = 0, most = 0;
  bool waits = false;  // other locations decide about its time
};

// Whether other locations may decide how long a thread stays in the region.
bool MayWait(const archive::Region& region);

// Seconds that measuring added to each call path's own time at a location. `own`: these own times.
std::vector<double> CostAt(const archive::Profile& profile, const Prices& prices, Bound bound, uint32_t location,
                           const std::vector<double>& own);

std::vector<PathTime> TimesWithout(const archive::Profile& profile, const Prices& prices);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_PATH_TIMES_H_
