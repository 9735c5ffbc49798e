// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/progress.h"

#include <gtest/gtest.h>

namespace epik::monitor {
namespace {

TEST(Progress, EstimatesTheEndFromTheRate) {
  Progress progress(1000);
  progress.Add(10, 100);
  EXPECT_FALSE(progress.HasRemaining()) << "one moment has no rate";
  progress.Add(12, 150);
  ASSERT_TRUE(progress.HasRemaining());
  EXPECT_DOUBLE_EQ(progress.Remaining(), (1000 - 150) / 25.0);
}

TEST(Progress, ForgetsHowFastTheProgramWasLongAgo) {
  Progress progress(20000);
  double visits = 0;
  for (int second = 0; second <= 100; ++second) progress.Add(second, visits += 100);
  for (int second = 101; second <= 140; ++second) progress.Add(second, visits += 1);
  ASSERT_TRUE(progress.HasRemaining());
  EXPECT_DOUBLE_EQ(progress.Remaining(), 20000 - visits);
}

TEST(Progress, SumsUpSeldomRefreshes) {
  Progress progress(50);
  for (int minute = 0; minute <= 4; ++minute) progress.Add(60.0 * minute, 10.0 * minute);
  ASSERT_TRUE(progress.HasRemaining());
  EXPECT_DOUBLE_EQ(progress.Remaining(), 60);
}

TEST(Progress, HasNoEndWithoutATotalOrARate) {
  Progress unknown(0), standing(100), done(100);
  for (int second = 0; second < 5; ++second) {
    unknown.Add(second, second);
    standing.Add(second, 7);
    done.Add(second, 96 + second);
  }
  EXPECT_FALSE(unknown.HasRemaining());
  EXPECT_FALSE(standing.HasRemaining());
  EXPECT_FALSE(done.HasRemaining()) << "the region has been entered as often as was said";
}

TEST(Progress, AtTheEndNothingRemains) {
  Progress progress(100), more(100);
  progress.Add(1, 99);
  EXPECT_FALSE(progress.IsDone());
  progress.Add(1, 100);
  more.Add(1, 101);
  EXPECT_TRUE(progress.IsDone());
  EXPECT_EQ(progress.Remaining(), 0);
  EXPECT_FALSE(more.IsDone()) << "the user was wrong";
}

TEST(Progress, TakesNoMomentTwice) {
  Progress progress(100);
  progress.Add(1, 10);
  progress.Add(1, 10);
  EXPECT_FALSE(progress.HasRemaining());
}

}  // namespace
}  // namespace epik::monitor
