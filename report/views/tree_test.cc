// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "config/words.h"

namespace epik::report {
namespace {

using archive::kNone;
using archive::Profile;

// One location, and one visit of each call path.
Profile WithPaths(uint32_t regions, std::vector<archive::CallPath> paths) {
  Profile profile;
  profile.hosts = {{"host"}};
  profile.processes = {{0, 0, "Rank 0"}};
  profile.locations = {{0, 0, "Thread 0"}};
  for (uint32_t r = 0; r < regions; ++r) profile.regions.emplace_back().name = "f" + std::to_string(r);
  profile.call_paths = std::move(paths);
  const uint32_t visits = profile.AddMetric({"visits", "", "occ", "", archive::Type::kUint64});
  const uint32_t time = profile.AddMetric({"time", "", "sec", "", archive::Type::kDouble});
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    profile.values[visits].Set(p, 0, uint64_t{1});
    profile.values[time].Set(p, 0, 1.0);
  }
  return profile;
}

Profile RandomProfile(std::mt19937* random) {
  constexpr uint32_t kRegions = 5;
  std::vector<archive::CallPath> paths = {{0, kNone}};
  std::vector<uint32_t> open = {0};
  for (uint32_t p = 1; p < 80; ++p) {
    while (open.size() > 1 && (*random)() % 3 == 0) open.pop_back();
    paths.push_back({static_cast<uint32_t>((*random)() % kRegions), open.back()});
    open.push_back(p);
  }
  return WithPaths(kRegions, std::move(paths));
}

// The names of a branch and of those above it, and its visits.
std::map<std::string, uint64_t> BranchesOf(const Figures& figures, const Tree& tree) {
  std::map<std::string, uint64_t> branches;
  for (uint32_t b = 0; b < tree.size(); ++b) {
    std::string path;
    for (const std::string_view name : tree.PathNames(figures, b)) path.append(" ").append(name);
    if (!tree.at(b).again) branches[path] += tree.at(b).visits;
  }
  return branches;
}

TEST(Tree, ACallGoesToTheBranchOfItsRegionAboveIt) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Profile profile = RandomProfile(&random);
    std::map<std::string, uint64_t> expected;
    std::vector<std::vector<uint32_t>> chains;  // of each call path: the regions from the root to its branch
    for (const archive::CallPath& call : profile.call_paths) {
      std::vector<uint32_t> chain = call.parent == kNone ? std::vector<uint32_t>() : chains[call.parent];
      chain.erase(std::find(chain.begin(), chain.end(), call.region), chain.end());
      chain.push_back(call.region);
      std::string path;
      for (const uint32_t region : chain) path += " " + profile.regions[region].name;
      ++expected[path];
      chains.push_back(std::move(chain));
    }
    const Figures figures(profile);
    EXPECT_EQ(BranchesOf(figures, Tree(figures, true)), expected);
  }
}

TEST(Tree, APatternMatchesThePathOfABranch) {
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) {
    Profile profile = RandomProfile(&random);
    if (round % 2 == 1) profile.regions[profile.call_paths[0].region].role = "artificial";
    const Figures figures(profile);
    const Tree tree(figures, false);
    for (const char* pattern : {"*f1 > f2", "f0*", "f1 > *f3*", "*", "*f[12] > f?", "f3"}) {
      const std::vector<bool> matching = tree.Matching(figures, pattern);
      for (uint32_t b = 0; b < tree.size(); ++b) {
        std::string path;
        for (std::string_view name : tree.PathNames(figures, b)) path.append(path.empty() ? "" : " > ").append(name);
        EXPECT_EQ(matching[b], config::GlobMatches(pattern, path)) << pattern << ": " << path;
      }
    }
  }
}

// With work for each pair of a call and a caller, this would take minutes.
TEST(Tree, ADeepChainOfDifferentFunctions) {
  constexpr uint32_t kDeep = 200000;
  std::vector<archive::CallPath> paths = {{0, kNone}};
  for (uint32_t p = 1; p < kDeep; ++p) paths.push_back({p, p - 1});
  const Profile profile = WithPaths(kDeep, std::move(paths));
  const Figures figures(profile);
  const Tree tree(figures, true);
  EXPECT_EQ(tree.size(), kDeep);
  const std::vector<bool> matching = tree.Matching(figures, "*f199999*");
  EXPECT_EQ(std::count(matching.begin(), matching.end(), true), 1);
}

}  // namespace
}  // namespace epik::report
