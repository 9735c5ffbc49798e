// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/path_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace epik::archive {
namespace {

// "f" calls itself, and each of its calls calls "leaf".
Profile Recursion(uint32_t levels) {
  Profile profile;
  profile.regions.resize(3);
  profile.regions[0].name = "main";
  profile.regions[1].name = "f";
  profile.regions[2].name = "leaf";
  profile.call_paths = {{0, kNone}};
  for (uint32_t level = 1; level < levels; ++level) profile.call_paths.push_back({1, level - 1});
  for (uint32_t level = levels; level-- > 0;) profile.call_paths.push_back({2, level});
  return profile;
}

TEST(PathNames, AreThoseOfAllLevels) {
  const Profile profile = Recursion(3);
  const PathNames names(profile);
  EXPECT_EQ(names.Of(0), "main");
  EXPECT_EQ(names.Of(3), "main > f > f > leaf");
  EXPECT_EQ(profile.PathName(3), names.Of(3));
}

TEST(PathNames, CountTheLevelsInTheMiddle) {
  const Profile profile = Recursion(2000);
  const PathNames names(profile);
  std::set<std::string> all;
  for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
    const std::string name = names.Of(path);
    EXPECT_EQ(name, profile.PathName(path));
    EXPECT_LE(name.size(), kMostNamedLevels * 7);
    EXPECT_TRUE(name.starts_with("main"));
    EXPECT_TRUE(all.insert(name).second) << name;
  }
  EXPECT_EQ(names.Of(2000).find("(1937 more) > f > "), names.Of(2000).find("("));
  EXPECT_TRUE(names.Of(2000).ends_with(" > f > leaf"));
  EXPECT_EQ(all.count(names.Of(kMostNamedLevels - 1)), 1u);
  EXPECT_EQ(names.Of(kMostNamedLevels - 1).find('('), std::string::npos);
}

// With the square of the levels, this test would not end.
TEST(PathNames, OfAVeryDeepTreeAreSmall) {
  const Profile profile = Recursion(300'000);
  const PathNames names(profile);
  size_t bytes = 0;
  for (uint32_t path = 0; path < profile.call_paths.size(); path += 100) bytes += names.Of(path).size();
  EXPECT_LT(bytes, 10'000'000u);
}

TEST(SamePaths, AreTheSameForTheSameNames) {
  const Profile one = Recursion(600);
  Profile other;
  other.regions.resize(2);
  other.regions[0].name = "leaf";
  other.regions[1].name = "main";
  other.call_paths = {{1, kNone}, {0, 0}, {0, 1}};
  SamePaths numbers;
  const std::vector<uint32_t> of_one = numbers.Of(one), of_other = numbers.Of(other);
  EXPECT_EQ(of_one[0], of_other[0]);
  EXPECT_EQ(of_one.back(), of_other[1]);  // main > leaf
  EXPECT_EQ(std::set<uint32_t>(of_one.begin(), of_one.end()).size(), one.call_paths.size());
  EXPECT_EQ(std::count(of_one.begin(), of_one.end(), of_other[2]), 0);
}

}  // namespace
}  // namespace epik::archive
