// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/sampler.h"

#include <gtest/gtest.h>

namespace epik::top {
namespace {

using archive::kNoNode;
using archive::LocationImage;
using event::Key;

constexpr Key kProgram = event::RegionKey(event::kProgramRegion);
constexpr Key kThread = event::RegionKey(event::kThreadRegion);
constexpr Key kWork = 0x1000, kLeaf = 0x2000;
constexpr Key kMetric = event::RegionKey(event::kMetricBit | 20);

event::Node MakeNode(Key key, uint32_t parent, uint64_t visits, uint64_t ticks) {
  event::Node node{};
  node.key = key;
  node.parent = parent;
  node.visits = visits;
  node.ticks = ticks;
  return node;
}

// A tick is a millisecond. The program began at 1000.
Reading MakeReading(uint64_t ticks) {
  Reading reading;
  reading.ticks = ticks;
  reading.seconds_per_tick = 1e-3;
  reading.image.header = {};
  reading.image.header.start_ticks = 1000;
  reading.image.header.pair_cost_ticks = 0.5;
  return reading;
}

// program > work > leaf, in the middle of a work that began at `entered`.
LocationImage MainThread(uint64_t works, uint64_t leaves, uint64_t entered) {
  LocationImage location{};
  location.header.state = event::LocationState::kRunning;
  location.header.thread_id = 77;
  location.nodes = {MakeNode(kProgram, kNoNode, 0, 0), MakeNode(kWork, 0, works, works * 100),
                    MakeNode(kLeaf, 1, leaves, leaves * 10), MakeNode(kMetric, 1, 1000, 0)};
  location.frames = {{kProgram, 1000, 0}, {kWork, entered, 1}};
  return location;
}

const PathLine* Find(const Sample& sample, const Sampler& sampler, const std::vector<Key>& keys) {
  for (const PathLine& line : sample.paths) {
    if (sampler.PathKeys(line.path) == keys) return &line;
  }
  return nullptr;
}

TEST(Sampler, TheFirstReadingCountsFromTheStart) {
  Sampler sampler;
  Reading reading = MakeReading(2000);
  reading.image.locations = {MainThread(4, 20, 1500)};
  const Sample sample = sampler.Add(reading);
  EXPECT_DOUBLE_EQ(sample.seconds, 1.0);
  EXPECT_DOUBLE_EQ(sample.total_seconds, 1.0);
  EXPECT_EQ(sample.total_calls, 1u + 5 + 20);
  const PathLine* program = Find(sample, sampler, {kProgram});
  const PathLine* work = Find(sample, sampler, {kProgram, kWork});
  const PathLine* leaf = Find(sample, sampler, {kProgram, kWork, kLeaf});
  ASSERT_TRUE(program != nullptr && work != nullptr && leaf != nullptr);
  EXPECT_DOUBLE_EQ(program->total.inclusive, 1.0);
  EXPECT_NEAR(program->total.exclusive, 0.1, 1e-9);
  EXPECT_NEAR(work->total.inclusive, 0.4 + 0.5, 1e-9);  // four that returned, one that has not
  EXPECT_NEAR(work->total.exclusive, 0.9 - 0.2, 1e-9);
  EXPECT_EQ(work->total.calls, 5u);
  EXPECT_EQ(work->now.calls, 5u);
  EXPECT_EQ(leaf->total.calls, 20u);
  EXPECT_EQ(sample.paths.size(), 3u) << "a metric is not a call path";
}

TEST(Sampler, TheSecondShowsTheDifference) {
  Sampler sampler;
  Reading first = MakeReading(2000), second = MakeReading(2500);
  first.image.locations = {MainThread(4, 20, 1500)};
  second.image.locations = {MainThread(4, 45, 1500)};
  sampler.Add(first);
  const Sample sample = sampler.Add(second);
  EXPECT_DOUBLE_EQ(sample.seconds, 0.5);
  EXPECT_EQ(sample.calls, 25u);
  const PathLine* work = Find(sample, sampler, {kProgram, kWork});
  const PathLine* leaf = Find(sample, sampler, {kProgram, kWork, kLeaf});
  ASSERT_TRUE(work != nullptr && leaf != nullptr);
  EXPECT_NEAR(work->now.inclusive, 0.5, 1e-9);
  EXPECT_NEAR(work->now.exclusive, 0.25, 1e-9);
  EXPECT_EQ(work->now.calls, 0u);
  EXPECT_NEAR(leaf->now.exclusive, 0.25, 1e-9);
  EXPECT_EQ(leaf->now.calls, 25u);
  EXPECT_NEAR(sample.cost, 25 * 0.5e-3, 1e-9);
  EXPECT_GT(sample.total_cost, sample.cost);
  ASSERT_EQ(sample.threads.size(), 1u);
  EXPECT_EQ(sampler.PathKeys(sample.threads[0].path), (std::vector<Key>{kProgram, kWork}));
  EXPECT_NEAR(sample.threads[0].in_path, 1.0, 1e-9);
  EXPECT_EQ(sample.threads[0].thread_id, 77u);
}

// As in the digest: what measuring cost is compared with the time that the thread computed, not with all of its time.
TEST(Sampler, TheCostIsThatOfTheDigest) {
  Sampler sampler;
  Reading reading = MakeReading(2000);
  LocationImage thread = MainThread(4, 20, 1500);
  thread.header.cpu_ns = 200'000'000;  // of a second; it waited for the rest
  reading.image.locations = {thread};
  const Sample sample = sampler.Add(reading);
  EXPECT_NEAR(sample.total_computed, 0.2, 1e-9);
  EXPECT_EQ(sample.computed, sample.total_computed);
  EXPECT_EQ(sample.cost, sample.total_cost);
  Sampler without(false);
  EXPECT_EQ(without.Add(reading).total_cost, 0);
}

TEST(Sampler, CallsThatDidNotRunHaveNoTimeWhenATickIsKnownBetter) {
  Sampler sampler;
  Reading first = MakeReading(2000), second = MakeReading(2500);
  second.seconds_per_tick *= 1.0 + 1e-7;
  first.image.locations = {MainThread(4, 20, 1500)};
  second.image.locations = {MainThread(4, 20, 1500)};
  sampler.Add(first);
  const Sample sample = sampler.Add(second);
  const PathLine* leaf = Find(sample, sampler, {kProgram, kWork, kLeaf});
  ASSERT_TRUE(leaf != nullptr);
  EXPECT_EQ(leaf->now.inclusive, 0);
  EXPECT_EQ(leaf->now.exclusive, 0);
}

TEST(Sampler, ThreadsAddUpBelowTheirCreatorsPath) {
  LocationImage thread{};
  thread.header.number = 1;
  thread.header.state = event::LocationState::kRunning;
  thread.nodes = {MakeNode(kProgram, kNoNode, 0, 0), MakeNode(kWork, 0, 0, 0), MakeNode(kThread, 1, 0, 0),
                  MakeNode(kLeaf, 2, 3, 30)};
  thread.frames = {{kThread, 1800, 2}};
  Sampler sampler;
  Reading reading = MakeReading(2000);
  reading.image.locations = {MainThread(1, 0, 1500), thread};
  const Sample sample = sampler.Add(reading);
  const PathLine* work = Find(sample, sampler, {kProgram, kWork});
  const PathLine* started = Find(sample, sampler, {kProgram, kWork, kThread});
  ASSERT_TRUE(work != nullptr && started != nullptr);
  EXPECT_NEAR(started->total.inclusive, 0.2, 1e-9);
  EXPECT_NEAR(started->total.exclusive, 0.17, 1e-9);
  EXPECT_NEAR(work->total.exclusive, 0.6, 1e-9) << "what a thread took is not its creator's own";
  EXPECT_EQ(sample.threads[1].total_calls, 4u);
}

TEST(Sampler, WhatWasReadWhileItWasWrittenNeverGoesBackwards) {
  Sampler sampler;
  Reading first = MakeReading(2000), second = MakeReading(2000);
  first.image.locations = {MainThread(4, 20, 1500)};
  second.image.locations = {MainThread(3, 19, 2001)};  // entered after our clock was read
  sampler.Add(first);
  const Sample sample = sampler.Add(second);
  EXPECT_EQ(sample.calls, 0u);
  for (const PathLine& line : sample.paths) {
    EXPECT_GE(line.now.exclusive, 0);
    EXPECT_GE(line.now.inclusive, 0);
    EXPECT_LT(line.now.calls, 2u);
  }
}

}  // namespace
}  // namespace epik::top
