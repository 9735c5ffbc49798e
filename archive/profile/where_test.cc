// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/where.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

Profile Job(int ranks, int threads) {
  Profile profile;
  for (int r = 0; r < ranks; ++r) {
    profile.processes.push_back({0, 10 + r, ""});
    for (int t = 0; t < threads; ++t) profile.locations.push_back({static_cast<uint32_t>(r), t, ""});
  }
  return profile;
}

TEST(Where, AsMuchAsDistinguishesTheLocations) {
  EXPECT_EQ(Where(Job(1, 1), 0), "rank 10");
  EXPECT_EQ(Where(Job(3, 1), 2), "rank 12");
  EXPECT_EQ(Where(Job(1, 3), 0), "thread 0");
  EXPECT_EQ(Where(Job(1, 3), 2), "thread 2");
  EXPECT_EQ(Where(Job(2, 2), 3), "rank 11 thread 1");
  Profile without = Job(2, 2);
  without.processes.clear();
  EXPECT_EQ(Where(without, 3), "thread 1");
}

}  // namespace
}  // namespace epik::archive
