// SPDX-License-Identifier: BSD-3-Clause
// How long waits were, and when they happened: histograms by pattern and call path, and sums over time. Both are exact
// whatever the order in which waits come, so analyses by several processes agree.
#ifndef EPIK_ANALYSIS_PATTERNS_DISTRIBUTION_H_
#define EPIK_ANALYSIS_PATTERNS_DISTRIBUTION_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/replay/flat_map.h"

namespace epik::patterns {

// Buckets of durations in nanoseconds: exact below 128, then 64 for each power of two. Their middle is off by 0.8 % at
// most.
struct LogBucket {
  static constexpr uint32_t kExact = 128, kEach = 64;

  static uint32_t Of(uint64_t ns) {
    if (ns < kExact) return static_cast<uint32_t>(ns);
    const unsigned shift = static_cast<unsigned>(std::bit_width(ns)) - 7;
    return kExact + (shift - 1) * kEach + static_cast<uint32_t>(ns >> shift) - kEach;
  }
  static uint64_t First(uint32_t bucket) {
    if (bucket < kExact) return bucket;
    const uint32_t over = bucket - kExact;
    return static_cast<uint64_t>(kEach + over % kEach) << (over / kEach + 1);
  }
  static uint64_t Last(uint32_t bucket) { return First(bucket + 1) - 1; }
};

struct Histogram {
  uint32_t pattern = 0, path = 0;  // path kNone: all call paths
  uint64_t count = 0;
  int64_t sum_ns = 0, min_ns = 0, max_ns = 0;
  std::vector<std::pair<uint32_t, uint64_t>> buckets;  // ascending, with the number of waits in each

  // The duration that a share of all does not exceed.
  double Quantile(double share) const;
};

class Histograms {
 public:
  void Add(uint32_t pattern, uint32_t path, int64_t ns);
  // In the order of patterns, then call paths.
  std::vector<Histogram> All() const;

 private:
  struct Key {
    uint32_t group, bucket;
    bool operator==(const Key&) const = default;
    friend uint64_t HashOf(const Key& key) {
      return replay::Mix((uint64_t{key.group} << 32 | key.bucket) * 0xff51afd7ed558ccdull);
    }
  };
  struct GroupKey {
    uint32_t pattern, path;
    bool operator==(const GroupKey&) const = default;
    friend uint64_t HashOf(const GroupKey& key) {
      return replay::Mix((uint64_t{key.pattern} << 32 | key.path) * 0xc4ceb9fe1a85ec53ull);
    }
  };
  struct Cell {
    Key key;
    uint64_t count;
  };

  replay::FlatMap<GroupKey> group_of_;
  replay::FlatMap<Key> cell_of_;
  std::vector<Histogram> groups_;  // without buckets
  std::vector<Cell> cells_;
};

// Waiting by pattern in equal parts of the run. Whenever the run turns out to be longer, the parts become twice as
// long.
class TimeBins {
 public:
  static constexpr size_t kBins = 64;

  // Adds `ns` of waiting that began at `from_ns`.
  void Add(uint32_t pattern, int64_t from_ns, int64_t ns);

  int64_t width_ns() const { return width_; }
  size_t used() const { return static_cast<size_t>((end_ + width_ - 1) / width_); }  // bins, from the first on
  // By bin; empty where nobody waited.
  const std::vector<int64_t>& Of(uint32_t pattern) const {
    static const std::vector<int64_t> kNothing;
    return pattern < sums_.size() ? sums_[pattern] : kNothing;
  }

 private:
  void Widen();

  int64_t width_ = int64_t{1} << 16, end_ = 0;
  std::vector<std::vector<int64_t>> sums_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_DISTRIBUTION_H_
