// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/history/trend.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/algebra/statistics.h"

namespace epik::analysis {
namespace {

constexpr double kSignificance = 0.05;
constexpr double kLeastJump = 0.01;  // of the level
constexpr size_t kLeastRuns = 4;     // a trend needs as many
constexpr size_t kLeastSide = 2;     // a side of a jump needs as many

using Iterator = std::vector<double>::const_iterator;

double Squares(Iterator begin, Iterator end) {
  const algebra::Summary summary = algebra::Summarize({begin, end});
  return summary.deviation * summary.deviation * static_cast<double>(summary.n - 1);
}

// Cuts [first, last) where that is significant; `cuts` get the first run after each.
void Cut(const std::vector<double>& values, size_t first, size_t last, std::map<size_t, double>* cuts) {
  if (last - first < 2 * kLeastSide) return;
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(last);
  size_t best = 0;
  double least = INFINITY;
  for (size_t at = first + kLeastSide; at + kLeastSide <= last; ++at) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(at);
    const double squares = Squares(begin, middle) + Squares(middle, end);
    if (squares >= least) continue;
    least = squares;
    best = at;
  }
  if (best == 0) return;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(best);
  const algebra::Summary before = algebra::Summarize({begin, middle}), after = algebra::Summarize({middle, end});
  const auto splits = static_cast<double>(last - first - 2 * kLeastSide + 1);
  const double probability = std::min(1.0, algebra::Probability(before, after) * splits);
  const double level = std::max(std::fabs(before.mean), std::fabs(after.mean));
  if (probability >= kSignificance || std::fabs(after.mean - before.mean) < kLeastJump * level) return;
  (*cuts)[best] = probability;
  Cut(values, first, best, cuts);
  Cut(values, best, last, cuts);
}

}  // namespace

Trend TrendOf(const std::vector<double>& values) {
  Trend trend;
  const size_t n = values.size();
  if (n < 2) return trend;
  std::vector<double> slopes;
  slopes.reserve(n * (n - 1) / 2);
  double ups = 0;
  for (size_t j = 1; j < n; ++j) {
    for (size_t i = 0; i < j; ++i) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
      ups += values[j] > values[i] ? 1 : values[j] < values[i] ? -1 : 0;
    }
  }
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  trend.per_run = *middle;
  if (slopes.size() % 2 == 0) trend.per_run = (trend.per_run + *std::max_element(slopes.begin(), middle)) / 2;
  if (n < kLeastRuns) return trend;
  const auto spread = [](double k) { return k * (k - 1) * (2 * k + 5); };
  double variance = spread(static_cast<double>(n));
  std::map<double, size_t> equal;
  for (const double value : values) ++equal[value];
  for (const auto& [value, count] : equal) variance -= spread(static_cast<double>(count));
  variance /= 18;
  if (variance <= 0) return trend;  // all values are the same
  const double z = std::max(0.0, std::fabs(ups) - 1) / std::sqrt(variance);
  trend.probability = std::erfc(z / std::sqrt(2.0));
  return trend;
}

std::vector<Jump> JumpsOf(const std::vector<double>& values) {
  std::map<size_t, double> cuts;
  Cut(values, 0, values.size(), &cuts);
  std::vector<Jump> jumps;
  size_t from = 0;
  for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
    const size_t to = std::next(cut) == cuts.end() ? values.size() : std::next(cut)->first;
    const auto at = [&](size_t run) { return values.begin() + static_cast<std::ptrdiff_t>(run); };
    jumps.push_back({cut->first, algebra::Summarize({at(from), at(cut->first)}).mean,
                     algebra::Summarize({at(cut->first), at(to)}).mean, cut->second});
    from = cut->first;
  }
  return jumps;
}

}  // namespace epik::analysis
