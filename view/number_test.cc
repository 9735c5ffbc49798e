// SPDX-License-Identifier: BSD-3-Clause
// Cases that cases.json cannot contain: numbers that JSON lacks, terminals without Unicode.
#include "view/number.h"

#include <gtest/gtest.h>

#include <cmath>

#include "view/exact.h"

namespace epik::view {
namespace {

TEST(Number, Count) {
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1204388), "1,204,388");
  EXPECT_EQ(Count(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(Plural(1, "rank"), "1 rank");
  EXPECT_EQ(Plural(2000, "rank"), "2,000 ranks");
  EXPECT_EQ(Plural(1, "process", "processes"), "1 process");
  EXPECT_EQ(Plural(0, "process", "processes"), "0 processes");
}

TEST(Number, Seconds) {
  EXPECT_EQ(Seconds(1.5e-6), "1.50 µs");
  EXPECT_EQ(Seconds(1.5e-6, /*unicode=*/false), "1.50 us");
  EXPECT_EQ(Seconds(999.6e-6), "1.00 ms");  // never "1000 µs"
  EXPECT_EQ(SecondsCell(1.5), "1.50 s ");
  EXPECT_EQ(SecondsCell(0.0015), "1.50 ms");
  EXPECT_EQ(Seconds(1e300), "1e+300 s");
  for (const double odd : {std::nan(""), HUGE_VAL, -HUGE_VAL}) EXPECT_EQ(Seconds(odd), "-");
}

TEST(Number, Shares) {
  EXPECT_EQ(Percent(1, 3), "33.3");
  EXPECT_EQ(Percent(-1e-9, 3), ">-0.1");
  EXPECT_EQ(Percent(0, 3), "0.0");
  EXPECT_EQ(Percent(-0.0, 3), "0.0");
  EXPECT_EQ(Percent(1, 0), "-");
  EXPECT_EQ(Percent(NAN, 1), "-");
  EXPECT_EQ(Share(0.1234), "12.3 %");
  EXPECT_EQ(Ratio(INFINITY), "-");
}

TEST(Number, Bytes) {
  EXPECT_EQ(Bytes(1.2 * 1048576), "1.20 MiB");
  EXPECT_EQ(Bytes(252.0 * (1ull << 30)), "252 GiB");
  EXPECT_EQ(Bytes(INFINITY), "-");
}

TEST(Number, Scaled) {
  EXPECT_EQ(Scaled(2.446e9, "Hz"), "2.45 GHz");
  EXPECT_EQ(Scaled(0, "Hz"), "0 Hz");
  EXPECT_EQ(Scaled(0, ""), "0");
  EXPECT_EQ(Scaled(1.2e6, ""), "1.20 M");
  EXPECT_EQ(Scaled(999.9, "Hz"), "1.00 kHz");
  EXPECT_EQ(Scaled(-2e-6, "F"), "-2.00 µF");
  EXPECT_EQ(Scaled(-2e-6, "F", false), "-2.00 uF");
}

TEST(Number, RoundTrip) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 123456789.123456789, -2.5e17}) {
    EXPECT_EQ(std::stod(RoundTrip(value, "")), value);
  }
  EXPECT_EQ(RoundTrip(0.1, ""), "0.1");
  EXPECT_EQ(RoundTrip(-0.0, ""), "0");
  for (const double value : {static_cast<double>(NAN), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(RoundTrip(value, "none"), "none");
    EXPECT_EQ(JsonNumber(value), "null");
  }
}

}  // namespace
}  // namespace epik::view
