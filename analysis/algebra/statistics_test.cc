// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epik::algebra {
namespace {

TEST(Statistics, MeanAndDeviation) {
  const Summary summary = Summarize({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(summary.n, 8u);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(32.0 / 7));
  EXPECT_EQ(Summarize({3}).deviation, 0);
}

// One degree of freedom is Cauchy's distribution, two have a closed form, many are nearly Gauss's.
TEST(Statistics, StudentsTail) {
  for (const double t : {0.0, 0.3, 1.0, 2.5, 12.7, 1000.0}) {
    EXPECT_NEAR(StudentTail(t, 1), 1 - 2 * std::atan(t) / M_PI, 1e-12);
    EXPECT_NEAR(StudentTail(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-12);
  }
  EXPECT_NEAR(StudentTail(1.96, 1e7), std::erfc(1.96 / std::sqrt(2)), 1e-6);
}

TEST(Statistics, ProbabilityByHand) {
  // Means 2 and 5, variances 1 each, three values: t = 3 / sqrt(2/3), 4 degrees of freedom.
  const Summary a = Summarize({1, 2, 3}), b = Summarize({4, 5, 6});
  EXPECT_NEAR(Probability(a, b), StudentTail(3 / std::sqrt(2.0 / 3), 4), 1e-12);
  EXPECT_EQ(Probability(a, b), Probability(b, a));
  // A single value against three: the deviation of the three, two degrees of freedom.
  EXPECT_NEAR(Probability(a, Summarize({5})), StudentTail(3 / std::sqrt(4.0 / 3), 2), 1e-12);
}

TEST(Statistics, NothingIsKnownOfSingleRuns) {
  EXPECT_EQ(Probability(Summarize({1}), Summarize({100})), 1);
  EXPECT_EQ(Probability(Summarize({}), Summarize({1, 2})), 1);
}

TEST(Statistics, CountsThatNeverVary) {
  EXPECT_EQ(Probability(Summarize({7, 7}), Summarize({7, 7})), 1);
  EXPECT_EQ(Probability(Summarize({7, 7}), Summarize({8, 8})), 0);
}

TEST(Statistics, BenjaminiAndHochbergByHand) {
  // Limits 0.0125, 0.025, 0.0375, 0.05: the third is within its limit, so the second is accepted as well.
  EXPECT_EQ(Significant({0.037, 0.6, 0.01, 0.03}, 0.05), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(Significant({0.03, 0.04}, 0.02), (std::vector<bool>{false, false}));
  EXPECT_TRUE(Significant({}, 0.05).empty());
}

TEST(Statistics, RunsOfOneDistributionAreRarelySignificant) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(100, 5);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto three = [&] { return Summarize({noise(random), noise(random), noise(random)}); };
    wrong += Probability(three(), three()) < 0.05;
  }
  EXPECT_LT(wrong, 2000 * 0.07);
}

}  // namespace
}  // namespace epik::algebra
