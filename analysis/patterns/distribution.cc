// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/distribution.h"

#include <cmath>
#include <tuple>

namespace epik::patterns {

double Histogram::Quantile(double share) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count)));
  uint64_t so_far = 0;
  for (const auto& [bucket, here] : buckets) {
    so_far += here;
    if (so_far < wanted) continue;
    const double middle =
        (static_cast<double>(LogBucket::First(bucket)) + static_cast<double>(LogBucket::Last(bucket))) / 2;
    return std::clamp(middle, static_cast<double>(min_ns), static_cast<double>(max_ns));
  }
  return static_cast<double>(max_ns);
}

void Histograms::Add(uint32_t pattern, uint32_t path, int64_t ns) {
  const uint32_t group = *group_of_.FindOrAdd({pattern, path}, static_cast<uint32_t>(groups_.size()));
  if (group == groups_.size()) groups_.push_back({pattern, path, 0, 0, ns, ns, {}});
  Histogram& to = groups_[group];
  ++to.count;
  to.sum_ns += ns;
  to.min_ns = std::min(to.min_ns, ns);
  to.max_ns = std::max(to.max_ns, ns);
  const Key key{group, LogBucket::Of(static_cast<uint64_t>(ns))};
  const uint32_t cell = *cell_of_.FindOrAdd(key, static_cast<uint32_t>(cells_.size()));
  if (cell == cells_.size()) cells_.push_back({key, 0});
  ++cells_[cell].count;
}

std::vector<Histogram> Histograms::All() const {
  std::vector<Histogram> all = groups_;
  for (const Cell& cell : cells_) all[cell.key.group].buckets.emplace_back(cell.key.bucket, cell.count);
  for (Histogram& histogram : all) std::sort(histogram.buckets.begin(), histogram.buckets.end());
  std::sort(all.begin(), all.end(), [](const Histogram& a, const Histogram& b) {
    return std::tie(a.pattern, a.path) < std::tie(b.pattern, b.path);
  });
  return all;
}

void TimeBins::Widen() {
  width_ *= 2;
  for (std::vector<int64_t>& sums : sums_) {
    for (size_t i = 0; i < sums.size(); ++i) {
      const int64_t moved = sums[i];
      sums[i] = 0;
      sums[i / 2] += moved;
    }
  }
}

void TimeBins::Add(uint32_t pattern, int64_t from_ns, int64_t ns) {
  // Clocks may be a little wrong: no wait was before the job began.
  const int64_t from = std::max<int64_t>(from_ns, 0), to = from + ns;
  while (to > width_ * static_cast<int64_t>(kBins)) Widen();
  if (pattern >= sums_.size()) sums_.resize(pattern + 1);
  if (sums_[pattern].empty()) sums_[pattern].resize(kBins);
  end_ = std::max(end_, to);
  for (int64_t at = from; at < to;) {
    const int64_t bin = at / width_, end = std::min((bin + 1) * width_, to);
    sums_[pattern][static_cast<size_t>(bin)] += end - at;
    at = end;
  }
}

}  // namespace epik::patterns
