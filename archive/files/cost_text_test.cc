// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/cost_text.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

constexpr bool kUnicode = true;

// The manifest of a loop with 30 million calls of a tiny function.
Manifest Tiny() {
  Manifest m;
  m.cost_seconds = 0.65;
  m.cost_error_seconds = 0.01;
  m.cpu_seconds = 0.69;
  m.cost_percent = 100 * 0.65 / 0.69;
  m.cpu_without_seconds = 0.04;
  m.wall_seconds = 1.02;
  m.wall_without_seconds = 0.37;
  m.wall_without_least_seconds = 0.36;
  m.wall_without_most_seconds = 0.38;
  return m;
}

TEST(CostText, OwnWork) {
  Manifest m;
  EXPECT_EQ(OwnWorkInWords(m), "starting");
  m.computed_in_run = "waits";
  EXPECT_EQ(OwnWorkInWords(m), "starting and computing waits");
  m.trace.flushes = 2;
  EXPECT_EQ(OwnWorkInWords(m), "starting, flushes of the trace and computing waits");
}

TEST(CostText, SaysWhatItTookOfTheProcessor) {
  EXPECT_EQ(CostInWords(Tiny(), kUnicode), "650 ms of CPU time, 94.2 % of the program's 690 ms");
  EXPECT_EQ(WithoutItInWords(Tiny(), kUnicode), "without it about 40.0 ms of CPU time, 370 ms wall");
  EXPECT_EQ(OversubscribedInWords(Tiny()), "");
}

TEST(CostText, SaysHowFarOffItMayBe) {
  Manifest m = Tiny();
  m.cost_error_seconds = 0.06;
  m.wall_without_least_seconds = 0.3;
  m.wall_without_most_seconds = 0.5;
  EXPECT_EQ(WithoutItInWords(m, kUnicode),
            "without it about 40.0 ms of CPU time (at most 100 ms), 370 ms wall (300 ms to 500 ms)");
}

TEST(CostText, WhoWaitsForWhomCannotBeTold) {
  Manifest m = Tiny();
  m.ranks = 2;
  m.wall_without_least_seconds = 0.1;
  m.wall_without_most_seconds = 0.9;
  EXPECT_EQ(WithoutItInWords(m, kUnicode),
            "without it about 40.0 ms of CPU time; the wall time without it cannot be told: 100 ms to 900 ms");
}

TEST(CostText, WhoPolledAndWhoComputedCannotBeTold) {
  Manifest m;
  m.cost_seconds = 0.0052;
  m.cost_error_seconds = 0.0005;
  m.cpu_seconds = 0.103;
  m.cpu_most_seconds = 1.05;
  m.cost_percent = 100 * m.cost_seconds / m.cpu_seconds;
  m.cpu_without_seconds = m.cpu_seconds - m.cost_seconds;
  m.wall_seconds = m.wall_without_seconds = m.wall_without_least_seconds = m.wall_without_most_seconds = 2;
  EXPECT_EQ(CostInWords(m, kUnicode), "5.20 ms of CPU time, 0.5 % to 5.0 % of the program's 103 ms to 1.05 s");
  EXPECT_EQ(WithoutItInWords(m, kUnicode), "without it about 97.8 ms of CPU time (at most 1.05 s), 2.00 s wall");
  m.cost_seconds = 0.00001;
  m.cost_percent = 100 * m.cost_seconds / m.cpu_seconds;
  EXPECT_EQ(CostInWords(m, kUnicode), "10.0 µs of CPU time, <0.1 % of the program's 103 ms to 1.05 s");
  m.cost_seconds = 0.0052;
  m.cost_percent = 100 * m.cost_seconds / m.cpu_seconds;
  m.cpu_most_seconds = 0.11;
  EXPECT_EQ(CostInWords(m, kUnicode), "5.20 ms of CPU time, 5.0 % of the program's 103 ms");
}

// A program is never nothing but measurement.
TEST(CostText, PricesThatAddUpToMoreThanTheCpuTimeTellABracket) {
  Manifest m;
  m.cost_seconds = m.cpu_seconds = m.cpu_most_seconds = 0.078;
  m.cost_by_prices_seconds = 0.144;
  m.cost_least_seconds = 0.042;
  m.cost_percent = 100;
  m.wall_seconds = 0.527;
  m.wall_without_most_seconds = 0.243;
  EXPECT_EQ(CostInWords(m, kUnicode), "42.0 ms to 78.0 ms of CPU time, 53.8 % to 100.0 % of the program's 78.0 ms");
  EXPECT_EQ(WithoutItInWords(m, kUnicode), "without it at most 36.0 ms of CPU time, 243 ms wall");
  m.cost_by_prices_seconds = 0.08;  // within the error of prices
  EXPECT_EQ(CostInWords(m, kUnicode), "78.0 ms of CPU time, 100.0 % of the program's 78.0 ms");
}

TEST(CostText, AnOversubscribedMachineShows) {
  Manifest m = Tiny();
  m.queued_seconds = 9 * m.cpu_seconds;
  EXPECT_NE(OversubscribedInWords(m).find("others had the processors for 90.0 %"), std::string::npos);
  m.ran_seconds = m.queued_seconds;  // it waited actively most of that time
  EXPECT_NE(OversubscribedInWords(m).find("others had the processors for 50.0 %"), std::string::npos);
  m.ran_seconds = 0;
  m.cpu_seconds = 0.001;
  m.queued_seconds = 0.009;
  EXPECT_EQ(OversubscribedInWords(m), "");
}

TEST(CostText, WithoutCpuTimeNothingIsClaimed) {
  Manifest m;
  m.cost_seconds = 0.65;
  EXPECT_EQ(CostInWords(m, kUnicode), "650 ms");
  EXPECT_EQ(WithoutItInWords(m, kUnicode), "");
}

}  // namespace
}  // namespace epik::archive
