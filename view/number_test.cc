// SPDX-License-Identifier: BSD-3-Clause
#include "view/number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace epik::view {
namespace {

TEST(Number, Count) {
  EXPECT_EQ(Count(0), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1000), "1 000");
  EXPECT_EQ(Count(1204388), "1 204 388");
  EXPECT_EQ(Count(UINT64_MAX), "18 446 744 073 709 551 615");
}

TEST(Number, Seconds) {
  EXPECT_EQ(Seconds(0), "0 s");
  EXPECT_EQ(Seconds(1.2345), "1.23 s");
  EXPECT_EQ(Seconds(0.04512), "45.1 ms");
  EXPECT_EQ(Seconds(310e-9), "310 ns");
  EXPECT_EQ(Seconds(19.3e-9), "19.3 ns");
  EXPECT_EQ(Seconds(4e-9), "4.0 ns");
  EXPECT_EQ(Seconds(1.5e-6), "1.50 us");
  EXPECT_EQ(Seconds(99.96), "100 s");
  EXPECT_EQ(Seconds(999.6e-6), "1.00 ms");  // never "1000 us"
  EXPECT_EQ(Seconds(12345.4), "12 345 s");
  EXPECT_EQ(Seconds(-0.5), "-500 ms");
  EXPECT_EQ(Seconds(1e-12), "0.0 ns");
  EXPECT_EQ(Seconds(std::nan("")), "-");
  EXPECT_EQ(Seconds(INFINITY), "inf");
}

TEST(Number, Bytes) {
  EXPECT_EQ(Bytes(0), "0 B");
  EXPECT_EQ(Bytes(512), "512 B");
  EXPECT_EQ(Bytes(1024), "1.0 KiB");
  EXPECT_EQ(Bytes(1.2 * 1048576), "1.2 MiB");
  EXPECT_EQ(Bytes(1023.9 * 1024), "1.0 MiB");
  EXPECT_EQ(Bytes(252.0 * (1ull << 30)), "252 GiB");
  EXPECT_EQ(Bytes(-2048), "-2.0 KiB");
}

TEST(Number, Percent) {
  EXPECT_EQ(Percent(0), "0.0 %");
  EXPECT_EQ(Percent(0.1234), "12.3 %");
  EXPECT_EQ(Percent(1), "100.0 %");
  EXPECT_EQ(Percent(0.0001), "<0.1 %");
  EXPECT_EQ(Percent(-0.00001), "0.0 %");
  EXPECT_EQ(Percent(-0.021), "-2.1 %");
}

TEST(Number, Scaled) {
  EXPECT_EQ(Scaled(2.446e9, "Hz"), "2.45 GHz");
  EXPECT_EQ(Scaled(0, "Hz"), "0 Hz");
  EXPECT_EQ(Scaled(1.2e6, ""), "1.20 M");
  EXPECT_EQ(Scaled(999.9, "Hz"), "1.00 kHz");
}

}  // namespace
}  // namespace epik::view
