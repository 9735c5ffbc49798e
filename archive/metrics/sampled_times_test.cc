// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/sampled_times.h"

#include <gtest/gtest.h>

#include <cstring>

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
  // `timed` visits of `each` ticks since then, one of `interval`.
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
    return EstimateSampled(&nodes, std::vector<uint64_t>(nodes.size()), bias);
  }
};

TEST(SampledTimes, TimedVisitsStandForTheOthers) {
  Tree tree;
  const uint32_t root = tree.Add(kNoParent, 1, 1'000'000);
  const uint32_t leaf = tree.Add(root, 100 + 6400, 200 * 10);  // 100 before and 100 since were timed
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
  const uint32_t inner = tree.Add(one, 3, 700);  // measured, within the sampled one
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

}  // namespace
}  // namespace epik::archive
