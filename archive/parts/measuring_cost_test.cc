// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/measuring_cost.h"

#include <gtest/gtest.h>

#include "archive/image/process_image.h"

namespace epik::archive {
namespace {

using event::Node;

constexpr double kTicksPerNs = 1;
constexpr event::Key kMpi = event::RegionKey(20);

Node NodeOf(uint32_t parent, event::Key key, uint64_t visits, uint64_t ticks) {
  Node node = {};
  node.key = key;
  node.parent = parent;
  node.visits = visits;
  node.ticks = ticks;
  return node;
}

EventKind KindOf(const Node& node) {
  if (node.key == kMpi) return {Doing::kWaitMpi, 1.5};
  return {node.key == event::RegionKey(event::kMeasurementRegion) ? Doing::kOwn : Doing::kCall, 1};
}

LocationCost Cost(const std::vector<Node>& nodes, const CallPrices& prices, uint64_t cpu = 0, uint64_t queued = 0) {
  event::Location location = {};
  location.cpu_ns = cpu;
  location.queued_ns = queued;
  return CostOf(location, nodes, {}, KindOf, prices, kTicksPerNs);
}

constexpr CallPrices kPrices{20, 12, 8, 0};

TEST(MeasuringCost, ComparesWithComputationAndNotWithWaiting) {
  // 10 s in MPI, 1 s of its own in main and leaf.
  const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, 11'000'000'000), NodeOf(0, kMpi, 10, 10'000'000'000),
                                   NodeOf(0, 5000, 40'000'000, 900'000'000)};
  for (const uint64_t cpu : {uint64_t{0}, uint64_t{11'000'000'000}}) {  // not known; MPI polls
    const LocationCost cost = Cost(nodes, kPrices, cpu);
    EXPECT_NEAR(cost.computed, 1e9, 1e6) << cpu;
    EXPECT_NEAR(cost.computed_most, 1e9, 1e6) << cpu;
    EXPECT_NEAR(cost.total, 0.8e9, 1e6) << cpu;
  }
  EXPECT_NEAR(Cost(nodes, kPrices, 700'000'000).computed, 0.7e9, 1e6) << "MPI blocks, and others had the processor";
}

TEST(MeasuringCost, WhatMeasuringTookWithinAWaitIsNoWaiting) {
  // A million calls of an MPI that does nothing. Half of the 30 ns of measuring are in main, and half are in MPI.
  const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, 30'000'000), NodeOf(0, kMpi, 1'000'000, 15'000'000)};
  const LocationCost cost = Cost(nodes, kPrices, 30'000'000);
  EXPECT_NEAR(cost.total, 30e6, 1000);
  EXPECT_NEAR(cost.computed, 30e6, 1000);
}

TEST(MeasuringCost, EpiksOwnWorkMayWaitForADisk) {
  // The program takes 0.5 s. In 1 s EPIK wrote its trace and the thread did not run.
  const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, 1'500'000'000),
                                   NodeOf(0, event::RegionKey(event::kMeasurementRegion), 1, 1'000'000'000)};
  EXPECT_NEAR(Cost(nodes, kPrices, 500'000'000).computed, 0.5e9, 1e6);
  EXPECT_NEAR(Cost(nodes, kPrices, 1'500'000'000).computed, 0.5e9, 1e6) << "EPIK computed";
  EXPECT_NEAR(Cost(nodes, kPrices, 500'000'000, 1'000'000'000).computed, 0.5e9 / 3, 1e6) << "others had the processor";
}

TEST(MeasuringCost, TimeInQueuesIsNoComputation) {
  const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, 5'000'000'000)};
  const LocationCost cost = Cost(nodes, kPrices, 1'000'000'000, 4'000'000'000);
  EXPECT_NEAR(cost.computed, 1e9, 1);
  EXPECT_NEAR(cost.stretch, 5, 1e-6);
}

TEST(MeasuringCost, WhoPollsIsWithoutAProcessorInMpi) {
  // 10 s, of which others had the processor for 9.4 s. A million polls; 0.4 s of its own, which are between them.
  const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, 10'000'000'000), NodeOf(0, kMpi, 1'000'000, 9'600'000'000)};
  const LocationCost cost = Cost(nodes, kPrices, 600'000'000, 9'400'000'000);
  EXPECT_NEAR(cost.total, 30e6, 1e3);
  EXPECT_NEAR(cost.computed, 0.415e9, 1e6) << "with the half of the price that is in MPI";
  const LocationCost little = Cost(nodes, {}, 600'000'000, 9'400'000'000);
  EXPECT_NEAR(little.computed, 0.4e9 * 0.06, 1e6) << "nothing contradicts the mean";
  EXPECT_NEAR(little.stretch, 10 / 0.6, 0.1) << "it waited for the processor while it polled, too";
  EXPECT_NEAR(little.computed_most, 0.4e9, 1e6) << "others may have had the processor only while it polled";
  const LocationCost polls = Cost(nodes, {}, 100'000'000, 9'900'000'000);
  EXPECT_NEAR(polls.computed_most, 0.1e9, 1e6) << "no more than its CPU time";
}

TEST(MeasuringCost, CalleesThatCannotBeGuessedHideAPart) {
  std::vector<Node> few = {NodeOf(kNoNode, 4096, 1, 1'000'000'000)}, many = few;
  constexpr uint64_t kCalls = 1'280'000;
  for (uint32_t i = 0; i < 2; ++i) few.push_back(NodeOf(0, 5000 + i, kCalls / 2, 1'000'000));
  for (uint32_t i = 0; i < 128; ++i) many.push_back(NodeOf(0, 5000 + i, kCalls / 128, 1'000'000));
  EXPECT_NEAR(Cost(few, kPrices).total, kCalls * 20.0, 1000);
  EXPECT_NEAR(Cost(many, kPrices).total, kCalls * 16.0, 1000);
}

TEST(MeasuringCost, WindowsOfTheRunKnowBetter) {
  const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, 1'000'000'000), NodeOf(0, 5000, 1'000'000, 20'000'000),
                                   NodeOf(0, 6000, 1'000'000, 20'000'000)};
  std::vector<SampledNode> probed(nodes.size());
  probed[1].batches = 3;
  probed[1].untimed = 1000;
  probed[1].price = 7;
  probed[1].price_error = 2;
  const LocationCost cost = CostOf({}, nodes, probed, KindOf, kPrices, kTicksPerNs);
  ASSERT_EQ(cost.measured.size(), nodes.size());
  EXPECT_LT(cost.measured[0].likely, 0);
  EXPECT_LT(cost.measured[2].likely, 0);
  EXPECT_EQ(cost.measured[1].likely, 7);
  const double timed = 999'000, counted = 1000;
  EXPECT_NEAR(cost.total, timed * 7 + counted * kPrices.untimed + 1'000'001 * 20.0, 1);
  // A tenth of the calibrated cost may be wrong, and half of it may be hidden, as there are no prices by work.
  EXPECT_NEAR(cost.error, timed * 2 + 0.1 * (1'000'001 * 20.0 + counted * kPrices.untimed), 1);
}

TEST(MeasuringCost, FunctionsThatWorkHideTheClock) {
  CallPrices prices = kPrices;
  prices.behind_least = 1;
  prices.behind_most = 3;
  constexpr uint64_t kCalls = 1'000'000;
  const auto cost_of = [&](uint64_t ticks_each, uint64_t queued) {
    const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, kCalls * (ticks_each + 10)),
                                     NodeOf(0, 5000, kCalls, kCalls * ticks_each)};
    return Cost(nodes, prices, kCalls * (ticks_each + 10) - queued, queued);
  };
  const LocationCost nothing = cost_of(10, 0), much = cost_of(1000, 0);
  EXPECT_NEAR(nothing.total, kCalls * 20.0, 100);
  EXPECT_LT(nothing.least, kCalls * 1.0) << "they may do something that the clock hides";
  EXPECT_LT(much.total, kCalls * 2.0);
  EXPECT_GT(much.total, kCalls * 1.0);
  EXPECT_LT(much.total + much.error, kCalls * 4.0);
  EXPECT_LE(much.least, much.total);
  // A function that only takes long because others have the processor does no work.
  EXPECT_NEAR(cost_of(1000, 1000 * kCalls).total, kCalls * 20.0, 100);
}

TEST(MeasuringCost, FarCallPathsAndNewOnesCount) {
  event::Location location = {};
  const std::vector<Node> nodes = {NodeOf(kNoNode, 4096, 1, 1'000'000'000), NodeOf(0, 5000, 1'000'000, 500'000'000)};
  const double near = CostOf(location, nodes, {}, KindOf, kPrices, kTicksPerNs).total;
  location.far_ticks = 100;
  location.cold_ticks = 3'000'000;
  const LocationCost far = CostOf(location, nodes, {}, KindOf, kPrices, kTicksPerNs);
  EXPECT_GT(far.total, near + 3'000'000 + 10'000'000);
  EXPECT_GT(far.error, 0.1 * far.total) << "that is less certain";
}

TEST(MeasuringCost, ForgedPricesAreBounded) {
  event::ProcessHeader header = {};
  header.pair_cost_ticks = 1e300;
  header.end_pair_cost_ticks = -5;
  header.fan_cost_ticks = 1e18;
  const CallPrices prices = PricesOf(header);
  EXPECT_EQ(prices.pair, 0);
  EXPECT_EQ(prices.fan, 0);
  header.pair_cost_ticks = 20;
  header.end_pair_cost_ticks = 30;
  EXPECT_DOUBLE_EQ(PricesOf(header).pair, 25);
  EXPECT_DOUBLE_EQ(PricesOf(header).spread, 0.2);
}

}  // namespace
}  // namespace epik::archive
