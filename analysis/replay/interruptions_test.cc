// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/interruptions.h"

#include <gtest/gtest.h>

namespace epik::replay {
namespace {

TEST(Interruptions, AreNoTimeOfTheCall) {
  Interruptions interruptions(2);
  interruptions.Add(1, 20, 30);
  interruptions.Add(1, 40, 60);
  EXPECT_EQ(interruptions.Own(1, 10, 10, 50), 40 - 10 - 10);
  EXPECT_EQ(interruptions.Own(1, 10, 25, 70), 45 - 5 - 20);
  EXPECT_EQ(interruptions.Own(1, 10, 30, 40), 10);
  EXPECT_EQ(interruptions.Own(1, 10, 50, 40), 0);
  EXPECT_EQ(interruptions.Own(0, 10, 10, 50), 40);
}

// The interruption lasts from 20 to 60. A call that waits within it is interrupted from 30 to 40.
TEST(Interruptions, OfACallWithinAnInterruption) {
  Interruptions interruptions(1);
  interruptions.Add(0, 30, 40);
  interruptions.Add(0, 20, 60);
  EXPECT_EQ(interruptions.Own(0, 10, 10, 70), 60 - 40) << "the outer call";
  EXPECT_EQ(interruptions.Own(0, 25, 25, 50), 25 - 10) << "the inner one";
}

TEST(Interruptions, OfLongAgoAreForgotten) {
  Interruptions interruptions(1);
  for (int64_t i = 0; i <= static_cast<int64_t>(Interruptions::kMost); ++i) interruptions.Add(0, 10 * i, 10 * i + 5);
  const int64_t last = 10 * static_cast<int64_t>(Interruptions::kMost);
  EXPECT_EQ(interruptions.Own(0, last - 100, last - 100, last + 5), 105 - 11 * 5);
  EXPECT_EQ(interruptions.Own(0, 0, 0, 100), 100);
}

}  // namespace
}  // namespace epik::replay
