// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/unite.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>

#include "analysis/algebra/algebra_samples.h"

namespace epik::algebra {
namespace {

using archive::ExampleProfile;
using archive::kNone;
using archive::Profile;
using archive::Region;

std::vector<std::string> Paths(const Profile& profile) {
  std::vector<std::string> names;
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) names.push_back(profile.PathName(p));
  return names;
}

uint32_t Call(Profile* profile, const std::string& name, uint32_t parent, const std::string& file = "", int line = -1) {
  Region region;
  region.name = region.mangled = name;
  region.file = file;
  region.begin_line = line;
  profile->regions.push_back(region);
  profile->call_paths.push_back({static_cast<uint32_t>(profile->regions.size() - 1), parent});
  return static_cast<uint32_t>(profile->call_paths.size() - 1);
}

Profile Empty() {
  Profile profile = ExampleProfile();
  profile.regions.clear();
  profile.call_paths.clear();
  return profile;
}

TEST(Unite, CallPathsOfBothInPreorder) {
  Profile a = Empty(), b = Empty();
  const uint32_t main_a = Call(&a, "main", kNone);
  Call(&a, "send", Call(&a, "solve", main_a));
  Call(&a, "io", main_a);
  const uint32_t main_b = Call(&b, "main", kNone);
  Call(&b, "io", main_b);
  Call(&b, "wait", Call(&b, "solve", main_b));
  const Union united = Unite({&a, &b});
  EXPECT_EQ(Paths(united.definitions), (std::vector<std::string>{"main", "main > solve", "main > solve > send",
                                                                 "main > solve > wait", "main > io"}));
  EXPECT_EQ(united.operands[0].path, (std::vector<uint32_t>{0, 1, 2, kNone, 3}));
  EXPECT_EQ(united.operands[1].path, (std::vector<uint32_t>{0, 2, kNone, 3, 1}));
  EXPECT_EQ(united.definitions.regions.size(), 5u);
}

TEST(Unite, FindsTheSameCallPathsOfTwoRuns) {
  Profile a = Empty(), b = Empty();
  const uint32_t main_a = Call(&a, "main", Call(&a, "old", kNone));
  Call(&a, "init", main_a, "a.c", 3);
  Call(&a, "init", main_a, "b.c", 3);
  Call(&a, "gone", main_a);
  const uint32_t main_b = Call(&b, "main", Call(&b, "new", kNone));
  Call(&b, "fresh", main_b);
  Call(&b, "init", main_b, "b.c", 4);
  Call(&b, "init", main_b, "a.c", 4);
  a.regions[0].role = b.regions[0].role = "artificial";
  EXPECT_EQ(SameCallPaths(a, b), (std::vector<uint32_t>{0, 1, kNone, 3, 2}));
  EXPECT_EQ(SameCallPaths(b, a), (std::vector<uint32_t>{0, 1, 4, 3, kNone}));
}

TEST(Unite, ProgramsThatWereRenamedAreOne) {
  Profile a = Empty(), b = Empty();
  Call(&a, "main", Call(&a, "solver_old", kNone));
  Call(&b, "main", Call(&b, "solver_new", kNone));
  a.regions[0].role = b.regions[0].role = "artificial";
  EXPECT_EQ(Paths(Unite({&a, &b}).definitions), (std::vector<std::string>{"solver_old", "solver_old > main"}));
  b.regions[0].role = "function";
  EXPECT_EQ(Unite({&a, &b}).definitions.call_paths.size(), 4u);
}

TEST(Unite, LinesAndFoldersMayChange) {
  Profile a = Empty(), b = Empty();
  Call(&a, "main", kNone, "/v1/src/main.c", 10);
  Call(&b, "main", kNone, "/v2/lib/main2.c", 20);
  EXPECT_EQ(Unite({&a, &b}).definitions.regions.size(), 1u);
}

TEST(Unite, FunctionsOfOneNameAreToldApartByFileThenLine) {
  Profile a = Empty(), b = Empty();
  Call(&a, "init", kNone, "/v1/x.c", 1);
  Call(&a, "init", kNone, "/v1/y.c", 1);
  Call(&a, "init", kNone, "/v1/y.c", 50);
  Call(&b, "init", kNone, "/v2/y.c", 60);
  Call(&b, "init", kNone, "/v2/y.c", 3);
  Call(&b, "init", kNone, "/v2/z.c", 3);
  const Union united = Unite({&a, &b});
  EXPECT_EQ(united.definitions.regions.size(), 4u);
  // x.c; y.c at 1 is y.c at 3; y.c at 50 is y.c at 60; z.c.
  EXPECT_EQ(united.operands[1].path, (std::vector<uint32_t>{kNone, 1, 0, 2}));
}

TEST(Unite, SiblingsOfOneRegionStayApart) {
  Profile a = Empty();
  const uint32_t main = Call(&a, "main", kNone);
  Call(&a, "send", main);
  a.call_paths.push_back({1, main});
  const Union united = Unite({&a, &a});
  EXPECT_TRUE(united.definitions.call_paths == a.call_paths);
}

TEST(Unite, SystemsByRankAndThread) {
  Profile a = ExampleProfile(), b = ExampleProfile();
  b.processes.push_back({0, 2, "MPI Rank 2"});
  b.locations.push_back({2, 0, "Thread 0"});
  Union united = Unite({&b, &a});
  EXPECT_EQ(united.definitions.locations.size(), 5u);
  EXPECT_EQ(united.operands[1].location, (std::vector<uint32_t>{0, 1, 2, 3, kNone}));
  EXPECT_EQ(united.definitions.hosts.size(), 1u);

  // Two hosts of the same machine. In the second run the ranks are elsewhere, so one host stands for all.
  a.hosts = b.hosts = {{"n1"}, {"n2"}};
  a.processes[1].host = 1;
  united = Unite({&a, &b});
  ASSERT_EQ(united.definitions.hosts.size(), 1u);
  EXPECT_EQ(united.definitions.hosts[0].name, "node0");
  EXPECT_EQ(united.definitions.machine, a.machine);

  b = a;
  b.machine = "another";
  EXPECT_EQ(Unite({&a, &b}).definitions.machine, "machine");
  EXPECT_EQ(Unite({&a, &a}).definitions.hosts.size(), 2u);
}

TEST(Unite, WhatOneOperandCouldNotHaveHasNoValueOfBoth) {
  Profile a = Empty(), b = Empty();
  a.AddMetric({"cycles", "", "occ", "n/a on ranks 1: no PMU; cycles"});
  b.AddMetric({"cycles", "", "occ", "n/a on ranks 3-4: no PMU; cycles"});
  a.AddMetric({"faults", "", "occ", "page faults"});
  b.AddMetric({"faults", "", "occ", "n/a: not permitted"});
  const Union united = Unite({&a, &b});
  const Profile& all = united.definitions;
  EXPECT_EQ(all.metrics[all.FindMetric("cycles")].description, "n/a on ranks 1,3-4: no PMU; cycles");
  EXPECT_EQ(all.FindMetric("faults"), kNone);
  ASSERT_EQ(united.notes.size(), 1u);
  EXPECT_EQ(united.notes[0], "metric faults is left out: it could not be had in one file");
  const Profile first = Unite({&a, &b}, Conflict::kFirstWins).definitions;
  EXPECT_EQ(first.metrics[first.FindMetric("cycles")].description, a.metrics[a.FindMetric("cycles")].description);
}

TEST(Unite, LargeTreesInLinearTime) {
  Profile a = Empty();
  uint32_t at = kNone;
  for (int i = 0; i < 200000; ++i) {
    if (i < 10) {
      at = Call(&a, "f" + std::to_string(i), at);
    } else {
      a.call_paths.push_back({static_cast<uint32_t>(i % 10), at});
      if (i % 2 == 0) at = static_cast<uint32_t>(i);
    }
  }
  EXPECT_TRUE(Unite({&a, &a, &a}).definitions.call_paths == a.call_paths);
}

uint32_t Construct(Profile* profile, const std::string& kind, uint32_t parent, int line) {
  const uint32_t path = Call(profile, kind + " @x.c:" + std::to_string(line), parent, "/src/x.c", line);
  profile->regions.back().paradigm = "openmp";
  return path;
}

// main at line 1 has a parallel region with two barriers in it. `more` lines are inserted behind the first line of
// main.
Profile WithConstructs(int more) {
  Profile profile = Empty();
  const uint32_t parallel = Construct(&profile, "parallel", Call(&profile, "main", kNone, "/src/x.c", 1), 10 + more);
  Construct(&profile, "barrier", parallel, 20 + more);
  Construct(&profile, "barrier", parallel, 30 + more);
  return profile;
}

TEST(UniteConstructs, MovedLinesAreTheSameConstructs) {
  const Profile a = WithConstructs(0);
  for (const int more : {1, -3, 10, 500}) {  // 10: the first barrier moves to the old line of the second one
    const Profile b = WithConstructs(more);
    const Union united = Unite({&a, &b});
    EXPECT_EQ(united.definitions.regions.size(), 4u) << more;
    EXPECT_EQ(united.operands[1].path, (std::vector<uint32_t>{0, 1, 2, 3})) << more;
  }
}

TEST(UniteConstructs, AFunctionThatMovedTakesItsConstructsAlong) {
  Profile a = WithConstructs(0), b = WithConstructs(0);
  for (Region& region : b.regions) region.begin_line += 10;
  b.regions[2].name = "barrier @x.c:30", b.regions[3].name = "barrier @x.c:40";
  Construct(&b, "barrier", 1, 25 + 10);  // new, between the others
  const Union united = Unite({&a, &b});
  EXPECT_EQ(united.definitions.regions.size(), 5u);
  EXPECT_EQ(united.operands[1].path[2], 2u);
  EXPECT_EQ(united.operands[1].path[3], 3u);
}

TEST(UniteConstructs, OtherFunctionsAndKindsAreOthers) {
  Profile a = WithConstructs(0), b = WithConstructs(0);
  const uint32_t other = Call(&b, "other", 0, "/src/x.c", 50);
  Construct(&b, "barrier", other, 20);
  Construct(&b, "single", 1, 20);
  const Union united = Unite({&a, &b});
  EXPECT_EQ(united.definitions.regions.size(), 7u);
}

TEST(UniteConstructs, AlignKeepsOrderAndIsNearest) {
  EXPECT_EQ(internal::Align({1, 2, 3}, {7, 8, 9}), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(internal::Align({10, 40}, {1, 9, 20, 41}), (std::vector<uint32_t>{1, 3}));
  EXPECT_EQ(internal::Align({}, {1}), std::vector<uint32_t>());
  EXPECT_EQ(internal::Align({5}, {5, 5}).size(), 1u);
  // Compares the result with all possible choices.
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> few(random() % 4), many(few.size() + random() % 4);
    for (std::vector<int>* list : {&few, &many}) {
      for (int& line : *list) line = static_cast<int>(random() % 20);
      std::sort(list->begin(), list->end());
    }
    const std::vector<uint32_t> partner = internal::Align(few, many);
    ASSERT_EQ(partner.size(), few.size());
    long sum = 0, least = few.empty() ? 0 : 1000;
    for (size_t i = 0; i < few.size(); ++i) {
      sum += std::abs(few[i] - many[partner[i]]);
      if (i > 0) {
        EXPECT_LT(partner[i - 1], partner[i]);
      }
    }
    if (few.size() == many.size()) continue;  // then their order decides
    for (unsigned mask = 0; mask < 1u << many.size(); ++mask) {
      if (static_cast<size_t>(std::popcount(mask)) != few.size()) continue;
      long other = 0;
      size_t i = 0;
      for (size_t j = 0; j < many.size(); ++j) {
        if ((mask >> j & 1) != 0) other += std::abs(few[i++] - many[j]);
      }
      least = std::min(least, other);
    }
    EXPECT_EQ(sum, least);
  }
}

}  // namespace
}  // namespace epik::algebra
