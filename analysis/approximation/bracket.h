// SPDX-License-Identifier: BSD-3-Clause
// How long the run and each location would have lasted without measurement: measured, and between two bounds.
#ifndef EPIK_ANALYSIS_APPROXIMATION_BRACKET_H_
#define EPIK_ANALYSIS_APPROXIMATION_BRACKET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/approximation/forward.h"
#include "analysis/approximation/traced_run.h"
#include "archive/files/manifest.h"
#include "archive/profile/profile.h"

namespace epik::approximation {

struct Span {
  double measured = 0, lower = 0, upper = 0;  // seconds
};

struct Bracket {
  struct Location {
    int rank = 0, thread = 0;
    Span span;
  };
  Span job;
  std::vector<Location> locations;
  uint64_t forced = 0;  // points for which no order could be found
};

// `rules`: all but the bound, which this function sets.
Bracket BracketOf(const TracedRun& run, Rules rules);
// Computes the bracket of a run without a trace. When a location waits for nobody, its own cost is taken off. For any
// other location, the upper bound takes nothing off. The lower bound takes off its own cost and that of the location
// that it waits for.
Bracket BracketOf(const archive::Profile& profile, const archive::Manifest& manifest);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_BRACKET_H_
