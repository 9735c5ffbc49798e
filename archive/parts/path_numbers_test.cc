// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/path_numbers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace epik::archive {
namespace {

TEST(PathNumbers, SameAsAMapThroughAllSizes) {
  std::mt19937 random(20);
  std::vector<CallPath> paths;
  PathNumbers numbers;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known;
  for (int i = 0; i < 200000; ++i) {
    const uint32_t parent = paths.empty() || random() % 8 == 0 ? kNone : static_cast<uint32_t>(random() % paths.size());
    const uint32_t region = random() % 5;
    const auto expected = known.try_emplace({parent, region}, static_cast<uint32_t>(known.size())).first->second;
    ASSERT_EQ(numbers.Of({region, parent}, &paths), expected);
  }
  ASSERT_EQ(paths.size(), known.size());
  for (const auto& [path, number] : known) {
    EXPECT_EQ(paths[number].parent, path.first);
    EXPECT_EQ(paths[number].region, path.second);
  }
}

TEST(PathNumbers, GoesOnWithAListThatIsThere) {
  std::vector<CallPath> paths;
  for (uint32_t i = 0; i < 1000; ++i) paths.push_back({i % 7, i == 0 ? kNone : i - 1});
  PathNumbers numbers(paths);
  for (uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(numbers.Of(CallPath(paths[i]), &paths), i);
  EXPECT_EQ(numbers.Of({9, 999}, &paths), 1000u);
  EXPECT_EQ(paths.size(), 1001u);
}

}  // namespace
}  // namespace epik::archive
