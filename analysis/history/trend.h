// SPDX-License-Identifier: BSD-3-Clause
// What became of a figure from run to run: does it drift, and where did it jump?
#ifndef EPIK_ANALYSIS_HISTORY_TREND_H_
#define EPIK_ANALYSIS_HISTORY_TREND_H_

#include <cstddef>
#include <vector>

namespace epik::analysis {

// Drift that single bad runs do not make: the median of the slopes between all pairs of runs (Theil and Sen), and how
// often chance alone orders runs like that (Mann and Kendall).
struct Trend {
  double per_run = 0;
  double probability = 1;  // 1 for less than four runs: nothing can be told
};
Trend TrendOf(const std::vector<double>& values);

struct Jump {
  size_t at = 0;                 // the first run after it
  double before = 0, after = 0;  // means of the runs from the jump before, and to the next one
  double probability = 1;
};

// Where the level changes: the split that leaves the least squares, kept when Welch's t-test says 5 % in spite of all
// the splits there were, then the same on both sides. A side has two runs at least, and a jump 1 % of the level.
std::vector<Jump> JumpsOf(const std::vector<double>& values);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_HISTORY_TREND_H_
