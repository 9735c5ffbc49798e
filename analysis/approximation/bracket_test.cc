// SPDX-License-Identifier: BSD-3-Clause
// Checks how long a run and its threads would have lasted without measurement, from a profile alone.
#include "analysis/approximation/bracket.h"

#include <gtest/gtest.h>

namespace epik::approximation {
namespace {

// A thread calls `work` this often, where measuring costs 20 ns each time, and then waits.
struct Thread {
  uint64_t calls;
  double work, wait;  // seconds
};

archive::Profile Make(const std::vector<Thread>& threads) {
  archive::Profile profile;
  for (const char* name : {"main", "work", "pthread_join"}) {
    profile.regions.emplace_back();
    profile.regions.back().name = name;
  }
  profile.regions[2].paradigm = "pthread";
  profile.regions[2].role = "function";
  profile.call_paths = {{0, archive::kNone}, {1, 0}, {2, 0}};
  profile.hosts.resize(1);
  profile.processes.resize(1);
  profile.locations.resize(threads.size());
  const uint32_t visits = profile.AddMetric({"visits", "Visits", "occ", "", archive::Type::kUint64});
  const uint32_t time = profile.AddMetric({"time", "Time", "sec", "", archive::Type::kDouble});
  for (uint32_t l = 0; l < threads.size(); ++l) {
    profile.values[visits].Set(1, l, threads[l].calls);
    profile.values[visits].Set(2, l, uint64_t{threads[l].wait > 0 ? 1u : 0u});
    profile.values[time].Set(1, l, threads[l].work);
    profile.values[time].Set(2, l, threads[l].wait);
  }
  return profile;
}

// An archive that states the cost of its run.
archive::Manifest Stated(double calls, double cpu, double wall) {
  archive::Manifest manifest;
  manifest.wall_seconds = wall;
  manifest.cpu_seconds = cpu;
  manifest.pair_cost_ns = manifest.pair_alone_ns = 20;
  manifest.events = static_cast<uint64_t>(2 * calls);
  manifest.cost_seconds = manifest.cost_by_prices_seconds = manifest.cost_least_seconds = calls * 20e-9;
  return manifest;
}

TEST(Bracket, OneThreadIsTheRun) {
  archive::Manifest manifest = Stated(5e6, 0.11, 0.22);
  manifest.queued_seconds = 0.11;
  manifest.wall_without_seconds = 0.02;
  manifest.wall_without_least_seconds = 0.01;
  manifest.wall_without_most_seconds = 0.07;
  const Bracket bracket = BracketOf(Make({{5'000'000, 0.22, 0}}), manifest);
  ASSERT_EQ(bracket.locations.size(), 1u);
  EXPECT_NEAR(bracket.job.lower, 0.01, 1e-9);
  EXPECT_NEAR(bracket.job.upper, 0.07, 1e-9);
  EXPECT_NEAR(bracket.locations[0].span.lower, 0.01, 1e-9);
  EXPECT_NEAR(bracket.locations[0].span.upper, 0.07, 1e-9);
}

// The first thread waits for the second one, which was slowed down by 200 ms.
TEST(Bracket, WhoWaitsMayHaveWaitedLess) {
  const Bracket bracket = BracketOf(Make({{0, 0.1, 0.3}, {10'000'000, 0.3, 0}}), Stated(1e7, 0.4, 0.4));
  ASSERT_EQ(bracket.locations.size(), 2u);
  EXPECT_NEAR(bracket.locations[0].span.lower, 0.2, 0.03);
  EXPECT_NEAR(bracket.locations[0].span.upper, 0.4, 1e-9);
  EXPECT_NEAR(bracket.locations[1].span.lower, 0.1, 0.03);
}

// A stated time of 0 is a statement.
TEST(Bracket, NothingIsAStatement) {
  archive::Manifest manifest = Stated(1e7, 0.4, 0.4);
  manifest.wall_without_most_seconds = 0.19;
  const Bracket bracket = BracketOf(Make({{0, 0.1, 0.3}, {10'000'000, 0.3, 0}}), manifest);
  EXPECT_EQ(bracket.job.lower, 0);
  EXPECT_NEAR(bracket.job.upper, 0.4, 1e-9);
}

}  // namespace
}  // namespace epik::approximation
