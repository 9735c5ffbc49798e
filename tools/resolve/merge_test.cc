// SPDX-License-Identifier: BSD-3-Clause
#include "tools/resolve/merge.h"

#include <gtest/gtest.h>

namespace epik::resolve {
namespace {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

// main > f > leaf, main > g, main > f.part > leaf, where f.part is f.
TEST(MergeRegions, EqualPathsAreAddedUp) {
  Profile profile;
  profile.hosts = {{"host"}};
  profile.processes = {{0, 0, "p"}};
  profile.locations = {{0, 0, "t"}};
  for (const char* name : {"main", "f", "leaf", "g", "f"}) {
    profile.regions.emplace_back();
    profile.regions.back().name = name;
  }
  profile.call_paths = {{0, kNone}, {1, 0}, {2, 1}, {3, 0}, {4, 0}, {2, 4}, {3, 4}};
  profile.AddMetric({"visits", "", "occ", "", Type::kUint64, Along::kExclusive, kNone});
  profile.AddMetric({"min", "", "sec", "", Type::kMin, Along::kExclusive, kNone});
  profile.AddMetric({"time", "", "sec", "", Type::kDouble, Along::kInclusive, kNone});
  const uint64_t visits[] = {1, 10, 20, 5, 3, 4, 7};
  for (uint32_t p = 0; p < 7; ++p) {
    profile.values[0].Set(p, 0, visits[p]);
    profile.values[1].Set(p, 0, 1.0 / static_cast<double>(visits[p]));
    profile.values[2].Set(p, 0, static_cast<double>(visits[p]));
  }
  MergeRegions({0, 1, 2, 3, 1}, &profile);
  ASSERT_EQ(profile.regions.size(), 4u);
  std::vector<std::string> names;
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) names.push_back(profile.PathName(p));
  EXPECT_EQ(names, (std::vector<std::string>{"main", "main > f", "main > f > leaf", "main > f > g", "main > g"}));
  EXPECT_EQ(profile.values[0].Integer(1, 0), 13u);
  EXPECT_EQ(profile.values[0].Integer(2, 0), 24u);
  EXPECT_EQ(profile.values[0].Integer(3, 0), 7u);
  EXPECT_EQ(profile.values[0].Integer(4, 0), 5u);
  EXPECT_DOUBLE_EQ(profile.values[1].Real(1, 0), 0.1);
  EXPECT_DOUBLE_EQ(profile.values[2].Real(1, 0), 13);
}

}  // namespace
}  // namespace epik::resolve
