// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/absence.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "archive/profile/absent_locations.h"

namespace epik::archive {
namespace {

Ranks RanksOf(const std::set<int32_t>& all) {
  Ranks ranks;
  for (const int32_t rank : all) {
    if (!ranks.empty() && ranks.back().last + 1 == rank) {
      ranks.back().last = rank;
    } else {
      ranks.push_back({rank, rank});
    }
  }
  return ranks;
}

TEST(Ranks, AreSetsWhateverTheOrder) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Ranks one, other;
    std::set<int32_t> in_one, in_other;
    for (int i = 0; i < 12; ++i) {
      const auto first = static_cast<int32_t>(random() % 60);
      const auto last = first + static_cast<int32_t>(random() % 6);
      AddRanks({first, last}, i % 2 == 0 ? &one : &other);
      for (int32_t rank = first; rank <= last; ++rank) (i % 2 == 0 ? in_one : in_other).insert(rank);
    }
    EXPECT_EQ(one, RanksOf(in_one));
    std::set<int32_t> rest;
    for (const int32_t rank : in_one) {
      if (in_other.count(rank) == 0) rest.insert(rank);
    }
    EXPECT_EQ(RanksWithout(one, other), RanksOf(rest));
    for (int32_t rank = -1; rank < 70; ++rank) EXPECT_EQ(HasRank(one, rank), in_one.count(rank) != 0) << rank;
  }
}

TEST(Absence, IsReadAsItWasWritten) {
  const Absence some{{{1, 1}, {3, 5}}, "no PMU: none", "cycles; read in 50 ns"};
  EXPECT_EQ(DescribeAbsence(some), "n/a on ranks 1,3-5: no PMU: none; cycles; read in 50 ns");
  const Absence read = ReadAbsence(DescribeAbsence(some));
  EXPECT_EQ(read.ranks, some.ranks);
  EXPECT_EQ(read.why, some.why);
  EXPECT_EQ(read.text, some.text);
  EXPECT_EQ(ReadAbsence(DescribeAbsence({{{2, 2}}, "one; two", "text"})).why, "one, two");
  EXPECT_EQ(ReadAbsence(DescribeAbsence({{}, "gone; for good", ""})).why, "gone; for good");
  EXPECT_EQ(DescribeAbsence({{}, "", "all have it"}), "all have it");
}

TEST(Absence, OtherTextsSayNothing) {
  for (const char* text : {"", "page faults", "n/a on ranks : why", "n/a on ranks 1,: why", "n/a on ranks 3-1: why",
                           "n/a on ranks 1", "n/a on ranks x: why", "n/a on ranks 99999999999: why"}) {
    const Absence absence = ReadAbsence(text);
    EXPECT_FALSE(absence.IsPartial()) << text;
    EXPECT_TRUE(absence.why.empty()) << text;
    EXPECT_EQ(absence.text, text);
  }
}

TEST(Absence, IsOfTheThreadsOfTheseRanks) {
  Profile profile;
  profile.processes = {{0, 0, ""}, {0, 4, ""}};
  profile.locations = {{0, 0, ""}, {0, 1, ""}, {1, 0, ""}};
  profile.call_paths.push_back({});
  const uint32_t some = profile.AddMetric({"some", "", "", "n/a on ranks 1-4: why; what"});
  const uint32_t none = profile.AddMetric({"none", "", "", "n/a: why"});
  const uint32_t all = profile.AddMetric({"all", "", "", "what"});
  EXPECT_EQ(AbsentLocations(profile, some), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(AbsentLocations(profile, none), (std::vector<bool>{true, true, true}));
  EXPECT_TRUE(AbsentLocations(profile, all).empty());
}

}  // namespace
}  // namespace epik::archive
