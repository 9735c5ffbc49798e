// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/wait_profile.h"

#include <gtest/gtest.h>

#include <string_view>

namespace epik::patterns {
namespace {

using archive::kNone;
using archive::Profile;

uint32_t PatternOf(std::string_view name) {
  const auto& all = AllPatterns();
  for (uint32_t p = 0; p < all.size(); ++p) {
    if (all[p]->name == name) return p;
  }
  return kNone;
}

// One barrier of one thread, whose calls took so long, and that waited for 2 s in its completion, and for 10 s before.
struct Barrier {
  explicit Barrier(double seconds_of_calls) {
    profile.hosts = {{"host"}};
    profile.processes = {{0, 0, "Rank 0"}};
    profile.locations = {{0, 0, "Thread 0"}};
    profile.regions.resize(1);
    profile.regions[0].name = "MPI_Barrier";
    profile.regions[0].paradigm = "mpi";
    profile.call_paths = {{0, kNone}};
    const char* parent = "";
    for (const char* name : {"time", "execution", "mpi", "mpi_synchronization", "mpi_sync_collective"}) {
      archive::Metric metric;
      metric.unique_name = name;
      metric.unit = "sec";
      metric.parent = profile.FindMetric(parent);
      parent = name;
      const uint32_t made = profile.AddMetric(metric);
      if (seconds_of_calls > 0) profile.values[made].Set(0, 0, seconds_of_calls);
    }
    world.locations.push_back({0, 0, 0});
    severities.Add(PatternOf("mpi_barrier_completion"), 0, 0, {0, 2'000'000'000, 2'000'000'000});
    severities.Add(PatternOf("mpi_barrier_wait"), 0, 0, {0, 10'000'000'000, 10'000'000'000});
  }
  double Time() const { return profile.values[profile.FindMetric("time")].Real(0, 0); }

  Profile profile;
  replay::World world;
  Severities severities;
};

TEST(WaitProfile, HasTheWaitsOfATraceWithoutCalls) {
  Barrier barrier(0);
  const WaitSums sums = AddWaits(barrier.severities, barrier.world, /*has_calls=*/false, &barrier.profile);
  EXPECT_DOUBLE_EQ(sums.waited_s, 10);
  EXPECT_DOUBLE_EQ(sums.beyond_calls_s, 0);
  EXPECT_DOUBLE_EQ(barrier.Time(), 12);
}

TEST(WaitProfile, CountsTimeOfSlowCallsOnce) {
  Barrier barrier(11);
  const WaitSums sums = AddWaits(barrier.severities, barrier.world, /*has_calls=*/false, &barrier.profile);
  EXPECT_DOUBLE_EQ(sums.beyond_calls_s, 0);
  EXPECT_DOUBLE_EQ(barrier.Time(), 12);
}

TEST(WaitProfile, TellsOfWaitsThatAreLongerThanTheirCalls) {
  Barrier barrier(7);
  const WaitSums sums = AddWaits(barrier.severities, barrier.world, /*has_calls=*/true, &barrier.profile);
  EXPECT_DOUBLE_EQ(sums.beyond_calls_s, 3);
  EXPECT_DOUBLE_EQ(barrier.Time(), 10);
}

}  // namespace
}  // namespace epik::patterns
