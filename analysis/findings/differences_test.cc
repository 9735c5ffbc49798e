// SPDX-License-Identifier: BSD-3-Clause
// Counters of two threads in one call path are compared.
#include "analysis/findings/differences.h"

#include <gtest/gtest.h>

namespace epik::findings {
namespace {

using archive::kNone;

constexpr uint32_t kMain = 0, kF = 1;  // call paths

// Ranks 0 and 1; call paths main, main > f. Counters of f are { of rank 0, of rank 1 }.
archive::Profile Two(uint64_t visits_of_1,
                     std::vector<std::pair<std::string, std::pair<uint64_t, uint64_t>>> counters) {
  archive::Profile profile;
  profile.regions.resize(2);
  profile.regions[0].name = "main";
  profile.regions[1].name = "f";
  profile.call_paths.resize(2);
  profile.call_paths[0].region = 0;
  profile.call_paths[1].region = 1;
  profile.call_paths[0].parent = kNone;
  profile.call_paths[1].parent = 0;
  profile.hosts.resize(1);
  profile.processes.resize(2);
  profile.locations.resize(2);
  for (uint32_t r = 0; r < 2; ++r) {
    profile.processes[r].rank = static_cast<int>(r);
    profile.locations[r].process = r;
    profile.locations[r].thread = 0;
  }
  counters.insert(counters.begin(), {"visits", {5, visits_of_1}});
  for (const auto& [name, values] : counters) {
    archive::Metric metric;
    metric.unique_name = name;
    metric.unit = "occ";
    metric.type = archive::Type::kUint64;
    const uint32_t made = profile.AddMetric(metric);
    profile.values[made].Set(1, 0, values.first);
    profile.values[made].Set(1, 1, values.second);
  }
  return profile;
}

TEST(Differences, AreTheCountersOfWhichOneHasMore) {
  const archive::Profile profile =
      Two(5, {{"rusage::ru_minflt", {900, 100}}, {"PAPI_TOT_INS", {5000, 4900}}, {"io::bytes", {70, 0}}});
  const std::vector<Difference> found = Counted(profile, profile).Compare(kF, {0, 0}, {1, 0});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].counter, "io::bytes");
  EXPECT_EQ(found[0].here, 70);
  EXPECT_EQ(found[1].counter, "rusage::ru_minflt");
  EXPECT_EQ(found[1].there, 100);
  EXPECT_TRUE(Counted(profile, profile).Compare(kF, {1, 0}, {0, 0}).empty());
}

// In a trace without f, its time is main's, and so are its counts.
TEST(Differences, AreOfTheCallAroundThoseThatTheTraceLacks) {
  archive::Profile profile = Two(5, {{"rusage::ru_minflt", {900, 100}}});
  const uint32_t visits = profile.FindMetric("visits");
  for (uint32_t r = 0; r < 2; ++r) profile.values[visits].Set(0, r, uint64_t{1});
  EXPECT_TRUE(Counted(profile, profile).Compare(kMain, {0, 0}, {1, 0}).empty());
  archive::Profile trace = profile;
  trace.metrics.clear();
  const std::vector<Difference> found = Counted(profile, trace).Compare(kMain, {0, 0}, {1, 0});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].here, 900);
}

TEST(Differences, AreNoneWhereOneNeverWas) {
  const archive::Profile profile = Two(0, {{"rusage::ru_minflt", {900, 0}}});
  EXPECT_TRUE(Counted(profile, profile).Compare(kF, {0, 0}, {1, 0}).empty());
  EXPECT_TRUE(Counted(profile, profile).Compare(7, {0, 0}, {1, 0}).empty());
  EXPECT_TRUE(Counted(profile, profile).Compare(kF, {0, 0}, {7, 0}).empty());
}

TEST(Differences, AreNotWhatEachProfileHas) {
  const archive::Profile profile =
      Two(5, {{"bytes_sent", {900, 0}}, {"mpi_sls_count", {900, 0}}, {"msgs_sent", {9, 0}}, {"locks_free", {1, 0}}});
  EXPECT_TRUE(Counted(profile, profile).Compare(kF, {0, 0}, {1, 0}).empty());
}

}  // namespace
}  // namespace epik::findings
