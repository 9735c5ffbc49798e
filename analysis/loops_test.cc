// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/loops.h"

#include <gtest/gtest.h>

namespace epik::analysis {
namespace {

using archive::kNone;
using archive::Profile;

// Adds call paths by name, "main > step=1", in the order in which they are given.
class Program {
 public:
  uint32_t Add(const std::string& name, uint32_t parent = kNone) {
    archive::Region region;
    region.name = name;
    if (name.find('=') != std::string::npos) region.role = "dynamic";
    profile.call_paths.push_back({static_cast<uint32_t>(profile.regions.size()), parent});
    for (uint32_t r = 0; r < profile.regions.size(); ++r) {
      if (profile.regions[r].name == name) profile.call_paths.back().region = r;
    }
    if (profile.call_paths.back().region == profile.regions.size()) profile.regions.push_back(region);
    return static_cast<uint32_t>(profile.call_paths.size() - 1);
  }
  Profile profile;
};

std::vector<std::string> Texts(const Loop& loop) {
  std::vector<std::string> texts;
  for (const LoopValue& value : loop.values) texts.push_back(value.text);
  return texts;
}

std::vector<uint32_t> PathsOf(const Profile& profile, const LoopValue& value) {
  std::vector<uint32_t> paths;
  ForEachPath(profile, value, [&](uint32_t path) { paths.push_back(path); });
  return paths;
}

TEST(Loops, NumbersStandByTheirSizeAndOtherValuesAsTheyCame) {
  Program program;
  const uint32_t main = program.Add("main");
  for (const char* name : {"step=10", "step=9", "step=-1", "kind=b", "kind=a", "lone=1"}) program.Add(name, main);
  const std::vector<Loop> loops = LoopsOf(program.profile);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].callpath, "main");
  EXPECT_EQ(loops[0].parameter, "step");
  EXPECT_EQ(Texts(loops[0]), (std::vector<std::string>{"-1", "9", "10"}));
  EXPECT_EQ(Texts(loops[1]), (std::vector<std::string>{"b", "a"}));
}

TEST(Loops, ALoopWithinAnotherOneIsOneLoop) {
  Program program;
  const uint32_t main = program.Add("main");
  std::vector<uint32_t> of_seven;
  for (const char* step : {"step=1", "step=2"}) {
    const uint32_t solve = program.Add("solve", program.Add(step, main));
    for (const char* size : {"size=7", "size=8"}) {
      const uint32_t path = program.Add(size, solve);
      const uint32_t leaf = program.Add("leaf", path);
      if (std::string(size) == "size=7") of_seven.insert(of_seven.end(), {path, leaf});
    }
  }
  const std::vector<Loop> loops = LoopsOf(program.profile);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[1].callpath, "main > solve");
  EXPECT_EQ(Texts(loops[1]), (std::vector<std::string>{"7", "8"}));
  EXPECT_EQ(PathsOf(program.profile, loops[1].values[0]), of_seven);
}

TEST(Loops, TheSameParameterBelowOtherCallersIsAnotherLoop) {
  Program program;
  const uint32_t main = program.Add("main");
  for (const char* caller : {"read", "write"}) {
    const uint32_t path = program.Add(caller, main);
    for (const char* size : {"size=7", "size=8"}) program.Add(size, path);
  }
  const std::vector<Loop> loops = LoopsOf(program.profile);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].callpath, "main > read");
  EXPECT_EQ(loops[1].callpath, "main > write");
}

TEST(Loops, AValueThatIsSetAgainWithinItselfCountsOnce) {
  Program program;
  const uint32_t outer = program.Add("size=1");
  const uint32_t inner = program.Add("size=1", outer);
  const uint32_t leaf = program.Add("leaf", inner);
  program.Add("size=2");
  const std::vector<Loop> loops = LoopsOf(program.profile);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].callpath, "");
  EXPECT_EQ(PathsOf(program.profile, loops[0].values[0]), (std::vector<uint32_t>{outer, inner, leaf}));
}

TEST(Loops, OtherRegionsAreNoValues) {
  Program program;
  const uint32_t main = program.Add("main");
  for (const char* name : {"a=1", "a=2"}) program.Add(name, main);
  for (archive::Region& region : program.profile.regions) region.role = "function";
  EXPECT_TRUE(LoopsOf(program.profile).empty());
}

}  // namespace
}  // namespace epik::analysis
