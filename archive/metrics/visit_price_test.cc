// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/visit_price.h"

#include <gtest/gtest.h>

#include <limits>

namespace epik::archive {
namespace {

constexpr VisitPrices kPrices{18, 0.4, 2.4};

TEST(VisitPrice, FunctionsThatDoNothingPayAll) {
  const Price price = PriceOf(kPrices, 9);
  EXPECT_DOUBLE_EQ(price.likely, 18);
  EXPECT_DOUBLE_EQ(price.most, 18);
  EXPECT_DOUBLE_EQ(price.least, 0.4) << "or they do something that the clock hides";
}

TEST(VisitPrice, WorkHidesTheClock) {
  const Price price = PriceOf(kPrices, 1000);
  EXPECT_GE(price.likely, 0.4);
  EXPECT_LT(price.most, 2.9);
  EXPECT_LE(price.likely, price.most);
}

TEST(VisitPrice, FallsAsTheFunctionTakesLonger) {
  Price before = PriceOf(kPrices, 0);
  for (double between = 1; between < 1e4; between *= 1.05) {
    const Price price = PriceOf(kPrices, between);
    EXPECT_LE(price.likely, before.likely) << between;
    EXPECT_LE(price.most, before.most) << between;
    EXPECT_LE(price.least, price.likely) << between;
    EXPECT_LE(price.likely, price.most) << between;
    before = price;
  }
}

TEST(VisitPrice, CallersAreJudgedByAllTheirEvents) {
  // Ten visits with nine callees each that do nothing: the events are 9 apart everywhere.
  EXPECT_DOUBLE_EQ(PriceOf(kPrices, 9.0 * 190, 10, 100).likely, 18);
  EXPECT_LT(PriceOf(kPrices, 9000.0 * 190, 10, 100).likely, 3);
}

TEST(VisitPrice, WithoutACalibrationAllVisitsCostTheSame) {
  for (const double between : {0.0, 9.0, 1e9}) {
    const Price price = PriceOf({18, -1, -1}, between);
    EXPECT_DOUBLE_EQ(price.least, 18);
    EXPECT_DOUBLE_EQ(price.most, 18);
  }
}

TEST(VisitPrice, StandsForgedNumbers) {
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  for (const double behind : {kNot, kInf, -kInf, 1e300, 0.0}) {
    for (const double between : {kNot, kInf, -kInf, -1.0, 0.0, 1e300}) {
      const Price price = PriceOf({18, behind, behind}, between);
      EXPECT_GE(price.least, 0) << behind << " " << between;
      EXPECT_LE(price.most, 18) << behind << " " << between;
      EXPECT_LE(price.least, price.likely);
      EXPECT_LE(price.likely, price.most);
    }
  }
  EXPECT_DOUBLE_EQ(PriceOf(kPrices, 100, 0, 0).likely, 18);
}

}  // namespace
}  // namespace epik::archive
