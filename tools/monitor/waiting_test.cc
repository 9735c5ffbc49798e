// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace epik::monitor {
namespace {

// One process works 2.5 s and the other one waits for it, again and again. No interval has more than one process's
// time, and all together have the time that it waited.
TEST(Waiting, IsCountedOnceHoweverOftenACallIsSeen) {
  constexpr double kCall = 2.5, kFirst = 0.3;  // calls begin at 0.3 s, 2.8 s, …
  for (const double interval : {0.2, 1.0, 2.0, 4.0}) {
    Waiting waiting;
    waiting.Add(0, 0, 0, 0);
    double sum = 0, told = 0, time = 0;
    for (int i = 1; i <= 100; ++i) {
      time = i * interval;
      const double calls = time < kFirst ? 0 : std::floor((time - kFirst) / kCall);
      const double ended = calls * kCall - told, lasting = time < kFirst ? 0 : time - kFirst - calls * kCall;
      told = calls * kCall;
      const double now = waiting.Add(time, ended, lasting, interval);
      EXPECT_NEAR(now, std::max(0.0, time - kFirst) - std::max(0.0, time - interval - kFirst), 1e-9) << i;
      sum += now;
    }
    EXPECT_NEAR(sum, time - kFirst, 1e-6) << interval;
  }
}

TEST(Waiting, ACallThatIsToldLateIsNotCountedAgain) {
  Waiting waiting;
  waiting.Add(0, 0, 0, 0);
  EXPECT_DOUBLE_EQ(waiting.Add(1, 0, 0.8, 1), 0.8);
  EXPECT_DOUBLE_EQ(waiting.Add(2, 0, 0, 1), 0) << "it has ended, but nobody has told";
  EXPECT_DOUBLE_EQ(waiting.Add(3, 1.5, 0, 1), 0.7);
}

TEST(Waiting, ACallThatIsNeverToldDoesNotHideLaterOnes) {
  Waiting waiting;
  waiting.Add(0, 0, 0, 0);
  waiting.Add(100, 0, 100, 100);
  double sum = 0;
  for (int i = 1; i <= 10; ++i) sum += waiting.Add(100 + i, 0.5, 0, 1);
  EXPECT_DOUBLE_EQ(sum, 3.5);
}

TEST(Waiting, CallsBeforeTheMonitorCameAreInNoLaterInterval) {
  Waiting waiting;
  waiting.Add(10, 50, 3, 10);
  EXPECT_DOUBLE_EQ(waiting.Add(11, 3.5, 0, 1), 0.5);
  EXPECT_DOUBLE_EQ(waiting.Add(12, 5, 0, 1), 1) << "there is no more time in it";
  EXPECT_DOUBLE_EQ(waiting.Add(13, 0, 0, 0), 0);
}

}  // namespace
}  // namespace epik::monitor
