// SPDX-License-Identifier: BSD-3-Clause
// How a figure changes from run to run: whether it drifts, and where it jumped.
#ifndef EPIK_ANALYSIS_HISTORY_TREND_H_
#define EPIK_ANALYSIS_HISTORY_TREND_H_

#include <cstddef>
#include <vector>

namespace epik::analysis {

// A drift that single bad runs do not make: the median of the slopes between all pairs of runs (Theil and Sen), and the
// probability that chance alone gives runs such an order (Mann and Kendall).
struct Trend {
  double per_run = 0;
  double probability = 1;  // 1 for less than four runs, which tell nothing
};
Trend TrendOf(const std::vector<double>& values);

struct Jump {
  size_t at = 0;                 // the first run after the jump
  double before = 0, after = 0;  // means of the runs since the jump before, and until the next one
  double probability = 1;
};

// Finds where the level changes. Takes the split with the least squares, keeps it when Welch's t-test is significant at
// 5 % although there were so many possible splits, and goes on with both sides. Each side has two runs at least, and a
// jump is at least 1 % of the level.
std::vector<Jump> JumpsOf(const std::vector<double>& values);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_HISTORY_TREND_H_
