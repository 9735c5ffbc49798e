// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/iterations.h"

#include <gtest/gtest.h>

#include "analysis/patterns/patterns.h"
#include "analysis/patterns/severities.h"
#include "analysis/patterns/tell_distribution.h"
#include "analysis/patterns/wait_profile.h"

namespace epik::patterns {
namespace {

using archive::kNone;
using archive::Profile;

// main > step=VALUE > MPI_Recv, which waited value times a second in two threads.
Profile Stepped(const std::vector<std::string>& values, const std::string& role = "dynamic") {
  Profile profile;
  profile.hosts = {{"host"}};
  profile.processes = {{0, 0, "Rank 0"}};
  profile.locations = {{0, 0, "Thread 0"}, {0, 1, "Thread 1"}};
  profile.regions.resize(2);
  profile.regions[0].name = "main";
  profile.regions[1].name = "MPI_Recv";
  profile.call_paths = {{0, kNone}};
  for (const std::string& value : values) {
    archive::Region region;
    region.name = "step=" + value;
    region.role = role;
    profile.regions.push_back(region);
    const auto step = static_cast<uint32_t>(profile.call_paths.size());
    profile.call_paths.push_back({static_cast<uint32_t>(profile.regions.size() - 1), 0});
    profile.call_paths.push_back({1, step});
  }
  const auto metric = [&](const char* name, const char* unit) {
    archive::Metric made;
    made.unique_name = name;
    made.unit = unit;
    return profile.AddMetric(made);
  };
  const uint32_t time = metric("time", "sec"), waits = metric("mpi_latesender", "sec");
  for (uint32_t v = 0; v < values.size(); ++v) {
    for (uint32_t l = 0; l < 2; ++l) {
      profile.values[time].Set(1 + 2 * v, l, 10.0);
      profile.values[time].Set(2 + 2 * v, l, 1.0);
      profile.values[waits].Set(2 + 2 * v, l, 0.5 * (v + 1));
    }
  }
  return profile;
}

TEST(Iterations, AreInTheOrderOfTheirNumbers) {
  const auto all = IterationsOf(Stepped({"10", "9", "-1"}));
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ("main", all[0].callpath);
  EXPECT_EQ("step", all[0].parameter);
  EXPECT_EQ((std::vector<std::string>{"-1", "9", "10"}), all[0].first);
  EXPECT_EQ(all[0].first, all[0].last);
  EXPECT_EQ((std::vector<double>{22, 22, 22}), all[0].time_s);
  ASSERT_EQ(1u, all[0].patterns.size());
  EXPECT_EQ("mpi_latesender", all[0].patterns[0].pattern);
  EXPECT_EQ((std::vector<double>{3, 2, 1}), all[0].patterns[0].seconds);
}

TEST(Iterations, TextsStayAsTheyCame) {
  const auto all = IterationsOf(Stepped({"b", "a"}));
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ((std::vector<std::string>{"b", "a"}), all[0].first);
}

TEST(Iterations, ManyAreRowsOfSeveral) {
  std::vector<std::string> values;
  for (int i = 0; i < 130; ++i) values.push_back(std::to_string(i));
  const auto all = IterationsOf(Stepped(values));
  ASSERT_EQ(1u, all.size());
  ASSERT_EQ(44u, all[0].first.size());
  EXPECT_EQ("3", all[0].first[1]);
  EXPECT_EQ("5", all[0].last[1]);
  EXPECT_EQ("129", all[0].last.back());
  double sum = 0;
  for (const double seconds : all[0].patterns[0].seconds) sum += seconds;
  EXPECT_DOUBLE_EQ(130.0 * 131 / 2, sum);
}

TEST(Iterations, OneValueOrNoneIsNoLoop) {
  EXPECT_TRUE(IterationsOf(Stepped({"1"})).empty());
  EXPECT_TRUE(IterationsOf(Stepped({})).empty());
  EXPECT_TRUE(IterationsOf(Stepped({"1", "2"}, "function")).empty());
}

// The time of tasks until they begin is no waiting: neither by part of the run, nor by length, nor by iteration.
TEST(Distribution, HasNothingButWaiting) {
  Profile profile = Stepped({"0", "1"});
  const uint32_t sender = profile.FindMetric("mpi_latesender");
  archive::Metric start;
  start.unique_name = "omp_task_start";
  start.unit = "sec";
  profile.values[profile.AddMetric(start)] = profile.values[sender];
  Severities severities;
  for (uint32_t p = 0; p < AllPatterns().size(); ++p) {
    const std::string name = AllPatterns()[p]->name;
    if (name == "mpi_latesender" || name == "omp_task_start") severities.Add(p, 0, 2, {100, 150, 50});
  }
  const findings::Distribution told = TellDistribution(severities, profile);
  ASSERT_EQ(told.over_time.patterns.size(), 1u);
  EXPECT_EQ(told.over_time.patterns[0].pattern, "mpi_latesender");
  ASSERT_EQ(told.spreads.size(), 2u) << "of all call paths, and of one";
  for (const findings::Spread& spread : told.spreads) EXPECT_EQ(spread.pattern, "mpi_latesender");
  ASSERT_EQ(told.iterations.size(), 1u);
  for (const findings::Series& series : told.iterations[0].patterns) EXPECT_NE(series.pattern, "omp_task_start");
}

}  // namespace
}  // namespace epik::patterns
