// SPDX-License-Identifier: BSD-3-Clause
// Times of call paths without measurement, for a small profile that can be computed by hand.
#include "analysis/approximation/path_times.h"

#include <gtest/gtest.h>

namespace epik::approximation {
namespace {

// main calls work a million times (20 ns of each call are measuring) and MPI_Barrier once, at two locations.
struct Made {
  archive::Profile profile;
  Prices prices;
};

Made Make(double work, double wait) {
  Made made;
  archive::Profile& p = made.profile;
  for (const char* name : {"main", "work", "MPI_Barrier"}) {
    p.regions.emplace_back();
    p.regions.back().name = name;
  }
  p.regions[2].paradigm = "mpi";
  p.regions[2].role = "barrier";
  p.call_paths = {{0, archive::kNone}, {1, 0}, {2, 0}};
  p.hosts.resize(1);
  p.processes.resize(2);
  p.locations.resize(2);
  p.locations[1].process = 1;
  const uint32_t visits = p.AddMetric({"visits", "Visits", "occ", "", archive::Type::kUint64});
  const uint32_t time = p.AddMetric({"time", "Time", "sec", "", archive::Type::kDouble});
  for (uint32_t l = 0; l < 2; ++l) {
    p.values[visits].Set(0, l, uint64_t{1});
    p.values[visits].Set(1, l, uint64_t{l == 0 ? 1000000u : 0u});
    p.values[visits].Set(2, l, uint64_t{1});
    p.values[time].Set(0, l, 0.1);
    p.values[time].Set(1, l, l == 0 ? work : 0.0);
    p.values[time].Set(2, l, l == 1 ? wait : 0.0);
  }
  made.prices = Prices::Same(20, p.call_paths.size());
  return made;
}

TEST(PathTimes, CodeIsExactAndWaitingIsABracket) {
  const Made made = Make(0.05, 0.05);
  const std::vector<PathTime> times = TimesWithout(made.profile, made.prices);
  ASSERT_EQ(times.size(), 3u);
  // Half of the 20 ms is in the caller, and half in the callee.
  EXPECT_FALSE(times[1].waits);
  EXPECT_NEAR(times[1].measured, 0.05, 1e-12);
  EXPECT_NEAR(times[1].least, 0.04, 1e-9);
  EXPECT_NEAR(times[1].most, 0.04, 1e-9);
  EXPECT_NEAR(times[0].least, 0.19, 1e-6);
  EXPECT_NEAR(times[0].most, 0.19, 1e-6);
  // The other location waits 20 ms less at most.
  EXPECT_TRUE(times[2].waits);
  EXPECT_NEAR(times[2].least, 0.03, 1e-6);
  EXPECT_GE(times[2].most, 0.05 - 1e-6);
}

TEST(PathTimes, AThreadItselfDoesNotWait) {
  archive::Region region;
  region.paradigm = "pthread";
  region.name = "thread";
  region.role = "thread create";
  EXPECT_FALSE(MayWait(region));
  region.name = "pthread_join";
  region.role = "function";
  EXPECT_TRUE(MayWait(region));
}

TEST(PathTimes, NothingIsNegative) {
  const Made made = Make(0.001, 0.0001);
  for (const PathTime& time : TimesWithout(made.profile, made.prices)) {
    EXPECT_GE(time.least, 0);
    EXPECT_LE(time.least, time.most);
  }
}

TEST(PathTimes, AProfileWithoutTimesHasNone) {
  const archive::Profile none;
  EXPECT_TRUE(TimesWithout(none, Prices()).empty());
}

}  // namespace
}  // namespace epik::approximation
