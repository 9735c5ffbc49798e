// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/rows.h"

#include <gtest/gtest.h>

namespace epik::timeline {
namespace {

Bins Doing(const std::vector<Kind>& kinds) {
  BinFiller filler(0, 100, kinds.size());
  for (size_t bin = 0; bin < kinds.size(); ++bin) filler.Take(100 * static_cast<int64_t>(bin + 1), kinds[bin], 0);
  return filler.Finish();
}

TEST(Rows, FewLocationsHaveARowEach) {
  const std::vector<Bins> same(5, Doing({Kind::kComputation}));
  EXPECT_EQ(FoldAlike(same, std::vector<uint32_t>(5), 5).size(), 5u);
}

TEST(Rows, AlikeOnesShareARowOfTheirGroup) {
  std::vector<Bins> locations;
  std::vector<uint32_t> groups;
  for (uint32_t location = 0; location < 4096; ++location) {
    const bool odd = location % 2 == 1;
    locations.push_back(Doing({Kind::kComputation, odd ? Kind::kCollective : Kind::kComputation}));
    groups.push_back(location / 2048);
  }
  locations[77] = Doing({Kind::kIdle, Kind::kIdle});
  const auto rows = FoldAlike(locations, groups, 16);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].size(), 1024u);
  size_t all = 0;
  for (const auto& members : rows) {
    all += members.size();
    for (const uint32_t member : members) {
      EXPECT_EQ(groups[member], groups[members[0]]);
      EXPECT_EQ(locations[member], locations[members[0]]);
    }
  }
  EXPECT_EQ(all, locations.size());
}

TEST(Rows, DifferentOnesAreFoldedOnlyAsFarAsNeedBe) {
  std::vector<Bins> locations;
  for (int location = 0; location < 300; ++location) {
    std::vector<Kind> kinds(300, Kind::kComputation);
    for (int bin = 0; bin < location; ++bin) kinds[static_cast<size_t>(bin)] = Kind::kIdle;
    locations.push_back(Doing(kinds));
  }
  const auto rows = FoldAlike(locations, std::vector<uint32_t>(300), 64);
  EXPECT_LE(rows.size(), 64u);
  EXPECT_GE(rows.size(), 16u);
}

}  // namespace
}  // namespace epik::timeline
