// SPDX-License-Identifier: BSD-3-Clause
// Calls that the trace lacks are found below those that it has.
#include "analysis/approximation/unlogged.h"

#include <gtest/gtest.h>

#include <map>

#include "analysis/graph/test_graph.h"

namespace epik::approximation {
namespace {

using archive::kNone;
using archive::Profile;
using replay::Script;

struct Row {
  uint32_t parent;
  double visits, own_ns;
  const char* region = "";
};

// Call paths of one thread.
Profile ProfileOf(const std::vector<Row>& rows) {
  Profile profile;
  profile.locations.resize(1);
  for (const Row& row : rows) {
    profile.call_paths.push_back({static_cast<uint32_t>(profile.regions.size()), row.parent});
    profile.regions.emplace_back().name = row.region;
  }
  archive::Metric time, visits;
  time.unique_name = "time";
  visits.unique_name = "visits";
  profile.AddMetric(time);
  profile.AddMetric(visits);
  for (uint32_t path = 0; path < rows.size(); ++path) {
    profile.values[0].Set(path, 0, rows[path].own_ns * 1e-9);
    profile.values[1].Set(path, 0, rows[path].visits);
  }
  return profile;
}

std::map<uint32_t, int64_t> PartsOf(const graph::Mixtures& mixtures, uint32_t path, int64_t ns) {
  std::map<uint32_t, int64_t> parts;
  mixtures.ForEach(0, path, ns, [&](uint32_t part, int64_t its) { parts[part] += its; });
  return parts;
}

int64_t Sum(const std::map<uint32_t, int64_t>& parts) {
  int64_t sum = 0;
  for (const auto& [path, ns] : parts) sum += ns;
  return sum;
}

// Paths: 0 m, 1 m > MPI_Send; and of the summary alone: 2 m > work, 3 m > work > leaf.
TEST(Unlogged, CallsOfAllLevelsArePartsOfTheirCaller) {
  Script script(1);
  script.Add("0: 0 > m | 900 > MPI_Send | 950 < | 1000 <");
  const graph::Made made = graph::Make(&script);
  ASSERT_EQ(script.PathName(1), "m > MPI_Send");
  const Profile profile = ProfileOf({{kNone, 1, 50}, {0, 1, 50}, {0, 3, 300}, {2, 6, 600}});
  const graph::Mixtures mixtures = Unlogged(*made.graph, &profile, {0}).Mix();
  const std::map<uint32_t, int64_t> parts = PartsOf(mixtures, 0, 950);
  EXPECT_EQ(Sum(parts), 950);
  EXPECT_NEAR(static_cast<double>(parts.at(2)), 300, 1);
  EXPECT_NEAR(static_cast<double>(parts.at(3)), 600, 1);
  EXPECT_NEAR(static_cast<double>(parts.at(0)), 50, 2);
  EXPECT_EQ(PartsOf(mixtures, 1, 50), (std::map<uint32_t, int64_t>{{1, 50}}));
}

TEST(Unlogged, ATraceOfEverythingHasNoParts) {
  Script script(1);
  script.Add("0: 0 > m | 100 > work | 200 < | 1000 <");
  const graph::Made made = graph::Make(&script);
  const Profile profile = ProfileOf({{kNone, 1, 900}, {0, 1, 100}});
  EXPECT_TRUE(Unlogged(*made.graph, &profile, {0}).Mix().IsEmpty());
}

// Some visits of `work` are logged, which have their share of its callees; the others are parts of `m`.
TEST(Unlogged, VisitsThatAreLoggedKeepTheirCallees) {
  Script script(1);
  script.Add("0: 0 > m | 100 > work | 200 > MPI_Send | 210 < | 300 < | 1000 <");
  const graph::Made made = graph::Make(&script);
  ASSERT_EQ(script.PathName(2), "m > work > MPI_Send");
  const Profile profile = ProfileOf({{kNone, 1, 400}, {0, 2, 190}, {1, 1, 10}, {1, 4, 400}});
  const graph::Mixtures mixtures = Unlogged(*made.graph, &profile, {0}).Mix();
  std::map<uint32_t, int64_t> all;
  for (const auto& [path, ns] : {std::pair<uint32_t, int64_t>{0, 800}, {1, 190}, {2, 10}}) {
    for (const auto& [part, its] : PartsOf(mixtures, path, ns)) all[part] += its;
  }
  EXPECT_EQ(Sum(all), 1000);
  EXPECT_GT(PartsOf(mixtures, 1, 190).count(3), 0u);
  EXPECT_GT(PartsOf(mixtures, 0, 800).at(1), 0);
  EXPECT_NEAR(static_cast<double>(all.at(3)), 400, 110);
}

// Paths: 0 m, 1 m > step, 2 m > step > MPI_Barrier; and of the summary alone: 3 m > step > work, 4 m > before, 5 m >
// before > MPI_Barrier, 6 m > before > work. The trace is that of a window, `step`.
TEST(Unlogged, CallsOutsideOfAWindowAreNoParts) {
  Script script(1);
  script.Add("0: 0 > m | 500 > step | 900 > MPI_Barrier | 950 < | 1000 < | 1100 <");
  const graph::Made made = graph::Make(&script);
  ASSERT_EQ(script.PathName(2), "m > step > MPI_Barrier");
  const Profile profile = ProfileOf({{kNone, 1, 100},
                                     {0, 1, 50},
                                     {1, 1, 50, "MPI_Barrier"},
                                     {1, 1, 400},
                                     {0, 1, 50},
                                     {4, 1, 50, "MPI_Barrier"},
                                     {4, 1, 400}});
  const graph::Mixtures mixtures = Unlogged(*made.graph, &profile, {0}).Mix();
  EXPECT_EQ(PartsOf(mixtures, 0, 600), (std::map<uint32_t, int64_t>{{0, 600}}));
  EXPECT_NEAR(static_cast<double>(PartsOf(mixtures, 1, 450).at(3)), 400, 1);
}

// The trace has no more than the longest of many callees.
TEST(Unlogged, ThousandsOfCalleesAreFewParts) {
  Script script(1);
  script.Add("0: 0 > m | 1000000 <");
  const graph::Made made = graph::Make(&script);
  std::vector<Row> rows = {{kNone, 1, 1000}};
  for (int i = 0; i < 5000; ++i) rows.push_back({0, 1, i == 2500 ? 500'000.0 : 100.0});
  const Profile profile = ProfileOf(rows);
  const std::map<uint32_t, int64_t> parts = PartsOf(Unlogged(*made.graph, &profile, {0}).Mix(), 0, 1'000'000);
  EXPECT_EQ(Sum(parts), 1'000'000);
  EXPECT_LT(parts.size(), 300u);
  EXPECT_NEAR(static_cast<double>(parts.at(2501)), 500'000, 1);
}

}  // namespace
}  // namespace epik::approximation
