// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace epik::patterns {
namespace {

constexpr uint32_t kNone = 0xffffffff;

TEST(LogBucket, BucketsFollowEachOtherAndTheirMiddleIsNear) {
  for (uint32_t bucket = 0; bucket < 3000; ++bucket) {
    ASSERT_EQ(bucket, LogBucket::Of(LogBucket::First(bucket)));
    ASSERT_EQ(bucket, LogBucket::Of(LogBucket::Last(bucket)));
    const auto first = static_cast<double>(LogBucket::First(bucket)),
               last = static_cast<double>(LogBucket::Last(bucket));
    ASSERT_LE((last - first) / 2, 0.01 * std::max(first, 1.0)) << bucket;
  }
}

TEST(Histograms, QuantilesAreThoseOfAllValues) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> wait(12, 2);
  Histograms histograms;
  std::vector<int64_t> all;
  int64_t sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto ns = static_cast<int64_t>(wait(random)) + 1;
    histograms.Add(2, 7, ns);
    histograms.Add(2, kNone, ns);
    all.push_back(ns);
    sum += ns;
  }
  std::sort(all.begin(), all.end());
  const std::vector<Histogram> found = histograms.All();
  ASSERT_EQ(2u, found.size());
  EXPECT_EQ(7u, found[0].path);
  EXPECT_EQ(kNone, found[1].path);
  for (const Histogram& histogram : found) {
    EXPECT_EQ(all.size(), histogram.count);
    EXPECT_EQ(sum, histogram.sum_ns);
    EXPECT_EQ(all.front(), histogram.min_ns);
    EXPECT_EQ(all.back(), histogram.max_ns);
    for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto exact =
          static_cast<double>(all[static_cast<size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1]);
      EXPECT_NEAR(exact, histogram.Quantile(share), 0.01 * exact) << share;
    }
  }
}

TEST(TimeBins, SumsHoldAndDoNotDependOnTheOrder) {
  std::mt19937_64 random(4);
  std::vector<std::pair<int64_t, int64_t>> waits;
  int64_t sum = 0, end = 0;
  for (int i = 0; i < 1000; ++i) {
    waits.emplace_back(static_cast<int64_t>(random() % 5'000'000'000), 1 + static_cast<int64_t>(random() % 90'000'000));
    sum += waits.back().second;
    end = std::max(end, waits.back().first + waits.back().second);
  }
  TimeBins forward, backward;
  for (const auto& [from, ns] : waits) forward.Add(1, from, ns);
  std::reverse(waits.begin(), waits.end());
  for (const auto& [from, ns] : waits) backward.Add(1, from, ns);
  EXPECT_EQ(forward.width_ns(), backward.width_ns());
  EXPECT_EQ(forward.Of(1), backward.Of(1));
  EXPECT_TRUE(forward.Of(0).empty());
  EXPECT_EQ(sum, std::accumulate(forward.Of(1).begin(), forward.Of(1).end(), int64_t{0}));
  EXPECT_GT(forward.used(), TimeBins::kBins / 2);
  EXPECT_LE(forward.used(), TimeBins::kBins);
  EXPECT_GE(static_cast<int64_t>(forward.used()) * forward.width_ns(), end);
  // Each bin has the waits that fall into it.
  for (size_t bin = 0; bin < TimeBins::kBins; ++bin) {
    const int64_t begin = static_cast<int64_t>(bin) * forward.width_ns(), until = begin + forward.width_ns();
    int64_t expected = 0;
    for (const auto& [from, ns] : waits) {
      expected += std::max<int64_t>(std::min(from + ns, until) - std::max(from, begin), 0);
    }
    EXPECT_EQ(expected, forward.Of(1)[bin]);
  }
}

TEST(TimeBins, WhatBeginsBeforeTheJobIsItsBeginning) {
  TimeBins bins;
  bins.Add(0, -50, 100);
  EXPECT_EQ(100, bins.Of(0)[0]);
}

}  // namespace
}  // namespace epik::patterns
