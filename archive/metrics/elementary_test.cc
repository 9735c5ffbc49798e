// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace epik::archive {

TEST(Elementary, Log2IsThatOfLibm) {
  EXPECT_EQ(Log2(1), 0);
  EXPECT_EQ(Log2(2), 1);
  EXPECT_EQ(Log2(0x1p60), 60);
  EXPECT_NEAR(Log2(std::numeric_limits<double>::min()), -1022, 1e-9);
  EXPECT_NEAR(Log2(std::numeric_limits<double>::max()), 1024, 1e-9);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponents(-40, 60);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::exp2(exponents(random)), truth = std::log2(value);
    ASSERT_NEAR(Log2(value), truth, 1e-13 * std::max(1.0, std::abs(truth))) << value;
  }
}

TEST(Elementary, DecayIsThatOfLibm) {
  EXPECT_EQ(Decay(0), 1);
  EXPECT_EQ(Decay(1e9), 0);
  EXPECT_EQ(Decay(std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(Decay(std::numeric_limits<double>::quiet_NaN()), 0);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> values(0, 690);
  for (int i = 0; i < 100'000; ++i) {
    const double value = i % 2 == 0 ? values(random) : values(random) / 1000, truth = std::exp(-value);
    ASSERT_NEAR(Decay(value), truth, 1e-12 * std::max(1.0, value) * truth) << value;
  }
}

}  // namespace epik::archive
