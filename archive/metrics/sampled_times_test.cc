// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/sampled_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace epik::archive {
namespace {

using event::Node;
using event::SampledPath;

constexpr uint32_t kNoParent = 0xffffffff;

struct Tree {
  std::vector<Node> nodes;

  uint32_t Add(uint32_t parent, uint64_t visits, uint64_t ticks) {
    Node node = {};
    node.key = 0x1000 + nodes.size();
    node.visits = visits;
    node.ticks = ticks;
    node.parent = parent;
    nodes.push_back(node);
    return static_cast<uint32_t>(nodes.size() - 1);
  }
  // Adds `timed` visits of `each` ticks since then; one visit of `interval` was timed.
  void AddSampled(uint32_t of, uint64_t before, uint32_t timed, uint32_t interval, uint64_t each, double variance = 0) {
    SampledPath path = {};
    path.key = event::RegionKey(event::kSampledMetric);
    path.visits_before = before;
    path.since = 1;
    path.covered = uint64_t{timed} * (interval - 1);
    path.covered_ticks = path.covered * each;
    path.variance = variance;
    path.parent = of;
    path.timed = timed;
    nodes.emplace_back();
    std::memcpy(&nodes.back(), &path, sizeof path);
  }
  std::vector<SampledNode> Estimate(double bias = 0) {
    return EstimateSampled(&nodes, std::vector<uint32_t>(nodes.size()), bias);
  }
};

TEST(SampledTimes, TimedVisitsStandForTheOthers) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 1'000'000);
  const uint32_t leaf = tree.Add(root, 100 + 6400, 200 * 10);  // 100 before and 100 since then were timed
  tree.AddSampled(leaf, 100, 100, 64, 10, 400);
  const auto sampled = tree.Estimate();
  EXPECT_EQ(sampled[leaf].untimed, 6300u);
  EXPECT_DOUBLE_EQ(sampled[leaf].variance, 400);
  EXPECT_EQ(tree.nodes[leaf].ticks, 65'000u);
  EXPECT_EQ(tree.nodes[root].ticks, 1'000'000u);
  EXPECT_EQ(sampled[root].untimed, 0u);
}

TEST(SampledTimes, WhatTheClockCostsIsNotTheUntimedOnes) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 1'000'000);
  const uint32_t leaf = tree.Add(root, 6400, 100 * 10);
  tree.AddSampled(leaf, 0, 100, 64, 10);
  tree.Estimate(4);
  EXPECT_EQ(tree.nodes[leaf].ticks, 1000u + 6300 * 6);
}

TEST(SampledTimes, EstimatesFitIntoTheirCaller) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 40'000);
  const uint32_t exact = tree.Add(root, 10, 10'000);
  const uint32_t one = tree.Add(root, 6400, 1000), two = tree.Add(root, 6400, 1000);
  const uint32_t inner = tree.Add(one, 3, 700);  // measured, within the sampled node
  tree.AddSampled(one, 0, 100, 64, 10);
  tree.AddSampled(two, 0, 100, 64, 30);
  tree.Estimate();
  const uint64_t below = tree.nodes[exact].ticks + tree.nodes[one].ticks + tree.nodes[two].ticks;
  EXPECT_LE(below, 40'000u);
  EXPECT_GE(below, 39'990u);
  EXPECT_EQ(tree.nodes[exact].ticks, 10'000u);
  EXPECT_GE(tree.nodes[one].ticks, 1000u);
  EXPECT_GE(tree.nodes[one].ticks, tree.nodes[inner].ticks);
  EXPECT_NEAR(static_cast<double>(tree.nodes[two].ticks - 1000) / static_cast<double>(tree.nodes[one].ticks - 1000), 3,
              0.01);
}

TEST(SampledTimes, WhatIsTooMuchIsTakenFromThoseThatAreKnownLeast) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 150'000);
  const uint32_t steady = tree.Add(root, 6400, 1000), tailed = tree.Add(root, 6400, 1000);
  tree.AddSampled(steady, 0, 100, 64, 10, 1e4);
  tree.AddSampled(tailed, 0, 100, 64, 20, 4e8);
  const auto sampled = tree.Estimate();
  EXPECT_NEAR(static_cast<double>(tree.nodes[steady].ticks), 64'000, 10);
  EXPECT_NEAR(static_cast<double>(tree.nodes[tailed].ticks), 86'000, 10);
  // 41 000 too many: the estimate was wrong by at least that much.
  EXPECT_GE(sampled[tailed].variance, 4e8 + 40'900.0 * 40'900);
  EXPECT_LT(sampled[steady].variance, 1.1e4);
}

TEST(SampledTimes, ThoseThatHaveLessThanTheirPartGiveAll) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 50'000);
  const uint32_t small = tree.Add(root, 6400, 100), large = tree.Add(root, 6400, 1000);
  tree.AddSampled(small, 0, 100, 64, 1, 1e8);
  tree.AddSampled(large, 0, 100, 64, 10, 1e8);
  tree.Estimate();
  EXPECT_EQ(tree.nodes[small].ticks, 100u);
  EXPECT_NEAR(static_cast<double>(tree.nodes[large].ticks), 49'900, 2);
}

// Many runs with a known truth. A caller with little time of its own has three callees: one with a steady time, one
// with two times, and one with a long tail. One visit of each block of 64 is timed. The stated errors hold.
TEST(SampledTimes, StatedErrorsHoldBesideALongTail) {
  constexpr uint32_t kVisits = 64'000, kInterval = 64, kTimed = kVisits / kInterval, kRuns = 300;
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> tail(2.5, 2.2);
  const auto draw = [&](int kind) {
    if (kind == 0) return 50.0 + static_cast<double>(random() % 11);
    if (kind == 1) return random() % 2 == 0 ? 20.0 : 300.0;
    return tail(random);
  };
  int within[3] = {}, steady_within = 0, two_within = 0;
  for (uint32_t run = 0; run < kRuns; ++run) {
    double truth[3] = {}, timed[3] = {}, squares[3] = {};
    for (int kind = 0; kind < 3; ++kind) {
      for (uint32_t block = 0; block < kTimed; ++block) {
        const uint64_t chosen = random() % kInterval;
        for (uint32_t i = 0; i < kInterval; ++i) {
          const double ticks = std::floor(draw(kind));
          truth[kind] += ticks;
          if (i != chosen) continue;
          timed[kind] += ticks;
          squares[kind] += ticks * ticks;
        }
      }
    }
    Tree tree;
    const uint32_t root = tree.Add(kNoParent, 1, static_cast<uint64_t>(truth[0] + truth[1] + truth[2] + 50'000));
    uint32_t at[3];
    for (int kind = 0; kind < 3; ++kind) {
      at[kind] = tree.Add(root, kVisits, static_cast<uint64_t>(timed[kind]));
      const double mean = timed[kind] / kTimed;
      const double spread = squares[kind] / kTimed - mean * mean;
      tree.AddSampled(at[kind], 0, kTimed, kInterval, 0, spread * kTimed * (kInterval - 1.0) * (kInterval - 1.0));
      SampledPath path;
      std::memcpy(&path, &tree.nodes.back(), sizeof path);
      path.covered_ticks = static_cast<uint64_t>(timed[kind]) * (kInterval - 1);
      std::memcpy(&tree.nodes.back(), &path, sizeof path);
    }
    const auto sampled = tree.Estimate();
    double off[3];
    for (int kind = 0; kind < 3; ++kind) {
      off[kind] = std::abs(static_cast<double>(tree.nodes[at[kind]].ticks) - truth[kind]);
      within[kind] += off[kind] <= 3 * std::sqrt(sampled[at[kind]].variance) ? 1 : 0;
    }
    steady_within += off[0] <= 0.02 * truth[0] ? 1 : 0;
    // The sampling error itself is 2.8 % here; the tail adds nothing to it.
    two_within += off[1] <= 3 * 0.028 * truth[1] ? 1 : 0;
  }
  EXPECT_GE(within[0], kRuns * 98 / 100);
  EXPECT_GE(within[1], kRuns * 98 / 100);
  EXPECT_GE(within[2], kRuns * 90 / 100);  // a tail without a timed visit is not known
  EXPECT_GE(steady_within, kRuns * 99 / 100);
  EXPECT_GE(two_within, kRuns * 98 / 100);
}

TEST(SampledTimes, ACallerTakesWhatItsCalleesTook) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 1'000'000);
  const uint32_t outer = tree.Add(root, 6400, 1000);
  const uint32_t message = tree.Add(outer, 6400, 500'000);  // each was timed
  tree.AddSampled(outer, 0, 100, 64, 10);
  tree.Estimate();
  EXPECT_EQ(tree.nodes[message].ticks, 500'000u);
  EXPECT_GE(tree.nodes[outer].ticks, 500'000u);
  EXPECT_LE(tree.nodes[outer].ticks, 1'000'000u);
}

TEST(SampledTimes, AFewVeryLongOnesStandForThemselves) {
  for (const uint32_t seen : {1u, 20u}) {
    Tree tree;
    const uint32_t root = tree.Add(kNoParent, 1, 100'000'000);
    const uint32_t leaf = tree.Add(root, 6400, 100 * 10);
    tree.AddSampled(leaf, 0, 100, 64, 10);
    SampledPath path;
    std::memcpy(&path, &tree.nodes.back(), sizeof path);
    path.long_timed = seen;
    path.long_ticks = 1e6f;
    std::memcpy(&tree.nodes.back(), &path, sizeof path);
    const auto sampled = tree.Estimate();
    EXPECT_EQ(tree.nodes[leaf].ticks, seen == 1 ? 64'000u : 1'064'000u);
    EXPECT_GT(sampled[leaf].variance, 1e9);
  }
}

TEST(SampledTimes, DamageIsNoTime) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 1000);
  const uint32_t leaf = tree.Add(root, ~uint64_t{0}, ~uint64_t{0});
  tree.AddSampled(leaf, 0, 3, 64, uint64_t{1} << 60, -1);
  tree.Estimate(1e300);
  EXPECT_LE(tree.nodes[leaf].ticks, uint64_t{1} << 58);
  EXPECT_EQ(tree.nodes[root].ticks, 1000u);
}

TEST(SampledTimes, DroppedCallsAreTold) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 1000);
  const uint32_t leaf = tree.Add(root, 10, 100);
  SampledPath path = {};
  path.key = event::RegionKey(event::kDroppedMetric);
  path.covered = 7;
  path.since = 5;
  path.parent = leaf;
  tree.nodes.emplace_back();
  std::memcpy(&tree.nodes.back(), &path, sizeof path);
  const auto sampled = tree.Estimate();
  EXPECT_TRUE(sampled[leaf].dropped);
  EXPECT_EQ(sampled[leaf].dropped_calls, 7u);
  EXPECT_EQ(tree.nodes[leaf].ticks, 100u);
}

TEST(ProbedTimes, VisitsThatWereOnlyCountedTookAsLongAsOthers) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 1'000'000);
  const uint32_t leaf = tree.Add(root, 10'000, 9000 * 20);
  tree.nodes[leaf].squares = 9000.0 * 20 * 20 + 9000.0 * 4;  // the standard deviation is 2
  event::ProbedPath path = {};
  path.key = event::RegionKey(event::kProbedMetric);
  path.parent = leaf;
  path.untimed = 1000;
  path.batches = 2;
  path.weight = 4000;
  path.cost = 1000 * 10.0 + 3000 * 14.0;
  path.cost_squares = 1000 * 100.0 + 3000 * 196.0;
  path.counting = 4000;
  tree.nodes.emplace_back();
  std::memcpy(&tree.nodes.back(), &path, sizeof path);
  const auto sampled = tree.Estimate(4);
  EXPECT_EQ(sampled[leaf].untimed, 1000u);
  EXPECT_EQ(tree.nodes[leaf].ticks, 9000u * 20 + 1000 * 16);
  EXPECT_NEAR(sampled[leaf].variance, 4000, 1e-6);
  EXPECT_EQ(sampled[leaf].batches, 2u);
  EXPECT_DOUBLE_EQ(sampled[leaf].price, 13);
  EXPECT_DOUBLE_EQ(sampled[leaf].price_error, 2 * std::sqrt(3.0) + 0.3 + 0.05 * 13);
}

TEST(ProbedTimes, DamagedWordsAreNoPrices) {
  for (const double damage : {std::nan(""), 1e308, -1e308, 0.0}) {
    Tree tree;
    const uint32_t root = tree.Add(kNoParent, 1, 1'000'000);
    const uint32_t leaf = tree.Add(root, 100, 2000);
    event::ProbedPath path = {};
    path.key = event::RegionKey(event::kProbedMetric);
    path.parent = leaf;
    path.untimed = ~uint64_t{0};
    path.batches = 1;
    path.weight = path.cost = path.cost_squares = path.variance = path.counting = damage;
    tree.nodes.emplace_back();
    std::memcpy(&tree.nodes.back(), &path, sizeof path);
    const auto sampled = tree.Estimate();
    EXPECT_GE(sampled[leaf].price, 0);
    EXPECT_TRUE(std::isfinite(sampled[leaf].price + sampled[leaf].price_error)) << damage;
    EXPECT_LE(sampled[leaf].untimed, 99u);
    EXPECT_LE(tree.nodes[leaf].ticks, 1'000'000u);
  }
}

}  // namespace
}  // namespace epik::archive
