// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/cost_text.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace epik::archive {
namespace {

std::string Seconds(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", s);
  return text;
}

// A loop of 30 million calls of a tiny function.
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

TEST(CostText, SaysWhatItTookOfTheProcessor) {
  EXPECT_EQ(CostInWords(Tiny(), Seconds), "0.65 s of CPU time, 94 % of the program's 0.69 s");
  EXPECT_EQ(WithoutItInWords(Tiny(), Seconds), "without it about 0.04 s of CPU time, 0.37 s wall");
  EXPECT_EQ(OversubscribedInWords(Tiny()), "");
}

TEST(CostText, SaysHowFarOffItMayBe) {
  Manifest m = Tiny();
  m.cost_error_seconds = 0.06;
  m.wall_without_least_seconds = 0.3;
  m.wall_without_most_seconds = 0.5;
  EXPECT_EQ(WithoutItInWords(m, Seconds),
            "without it about 0.04 s of CPU time (at most 0.10 s), 0.37 s wall (0.30 s to 0.50 s)");
}

TEST(CostText, WhoWaitsForWhomCannotBeTold) {
  Manifest m = Tiny();
  m.ranks = 2;
  m.wall_without_least_seconds = 0.1;
  m.wall_without_most_seconds = 0.9;
  EXPECT_EQ(WithoutItInWords(m, Seconds),
            "without it about 0.04 s of CPU time; the wall time without it cannot be told: 0.10 s to 0.90 s");
}

TEST(CostText, AnOversubscribedMachineShows) {
  Manifest m = Tiny();
  m.queued_seconds = 9 * m.cpu_seconds;
  EXPECT_NE(OversubscribedInWords(m).find("others had the processors for 90 %"), std::string::npos);
}

TEST(CostText, WithoutCpuTimeNothingIsClaimed) {
  Manifest m;
  m.cost_seconds = 0.65;
  EXPECT_EQ(CostInWords(m, Seconds), "0.65 s");
  EXPECT_EQ(WithoutItInWords(m, Seconds), "");
}

}  // namespace
}  // namespace epik::archive
