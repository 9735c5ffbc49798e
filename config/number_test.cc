// SPDX-License-Identifier: BSD-3-Clause
#include "config/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace epik::config {
namespace {

constexpr uint64_t kNoSize = ~0ull;

uint64_t Bytes(std::string_view text) {
  uint64_t bytes = kNoSize;
  return ParseSize(text, &bytes) ? bytes : kNoSize;
}

int64_t Ns(std::string_view text) {
  int64_t ns = -1;
  return ParseDuration(text, &ns) ? ns : -1;
}

TEST(Size, UnitsOf1024AndOf1000) {
  EXPECT_EQ(Bytes("0"), 0u);
  EXPECT_EQ(Bytes("100000"), 100000u);
  EXPECT_EQ(Bytes("7B"), 7u);
  EXPECT_EQ(Bytes("4k"), 4096u);
  EXPECT_EQ(Bytes("4K"), 4096u);
  EXPECT_EQ(Bytes("16M"), 16u << 20);
  EXPECT_EQ(Bytes("16m"), 16u << 20);
  EXPECT_EQ(Bytes("1G"), 1u << 30);
  EXPECT_EQ(Bytes("2T"), 2ull << 40);
  EXPECT_EQ(Bytes("3KiB"), 3072u);
  EXPECT_EQ(Bytes("3MiB"), 3u << 20);
  EXPECT_EQ(Bytes("3GiB"), 3ull << 30);
  EXPECT_EQ(Bytes("3kB"), 3000u);
  EXPECT_EQ(Bytes("3MB"), 3'000'000u);
  EXPECT_EQ(Bytes("3GB"), 3'000'000'000u);
  EXPECT_EQ(Bytes("1.5k"), 1536u);
  EXPECT_EQ(Bytes("0.3k"), 307u);
  EXPECT_EQ(Bytes("12 MiB"), 12u << 20);
}

TEST(Size, Refused) {
  for (const char* text : {"", "k", "-1", "+1", "1.", ".5k", "1..5k", "1.5.5k", "4q", "4kk", "0x10", "1e6", "4 k k",
                           "1.0000000001G", "0.0001", "99999999999999999999", "9999999999G", "8388608T", "unlimited"}) {
    EXPECT_EQ(Bytes(text), kNoSize) << text;
  }
}

TEST(Size, TheLargest) {
  EXPECT_EQ(Bytes("9223372036854775807"), static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(Bytes("9223372036854775808"), kNoSize);
}

TEST(Size, IsWrittenInTheLargestUnitThatDivides) {
  EXPECT_EQ(FormatSize(0), "0");
  EXPECT_EQ(FormatSize(1000), "1000");
  EXPECT_EQ(FormatSize(1024), "1k");
  EXPECT_EQ(FormatSize(1536), "1536");
  EXPECT_EQ(FormatSize(3u << 20), "3M");
  EXPECT_EQ(FormatSize(1u << 30), "1G");
  EXPECT_EQ(FormatSize(5ull << 40), "5T");
  for (const uint64_t bytes : {1ull, 1023ull, 1025ull, 999'999'999ull, 1ull << 62}) {
    EXPECT_EQ(Bytes(FormatSize(bytes)), bytes);
  }
}

TEST(Duration, Units) {
  EXPECT_EQ(Ns("0"), 0);
  EXPECT_EQ(Ns("5ns"), 5);
  EXPECT_EQ(Ns("10us"), 10'000);
  EXPECT_EQ(Ns("10µs"), 10'000);
  EXPECT_EQ(Ns("1.5ms"), 1'500'000);
  EXPECT_EQ(Ns("2 s"), 2'000'000'000);
  EXPECT_EQ(Ns("3min"), 180'000'000'000);
}

TEST(Duration, ANumberAloneIsAmbiguous) { EXPECT_EQ(Ns("10"), -1); }

TEST(Duration, Refused) {
  for (const char* text : {"", "ms", "-1ms", "1m", "1h", "1 0ms", "0.1ns", "1MS", "999999999999999min"}) {
    EXPECT_EQ(Ns(text), -1) << text;
  }
}

TEST(Duration, IsWrittenInTheLargestUnitThatDivides) {
  EXPECT_EQ(FormatDuration(0), "0");
  EXPECT_EQ(FormatDuration(1), "1ns");
  EXPECT_EQ(FormatDuration(1500), "1500ns");
  EXPECT_EQ(FormatDuration(10'000), "10us");
  EXPECT_EQ(FormatDuration(120'000'000'000), "2min");
}

TEST(Integer, WholeTextOnly) {
  int64_t value = 7;
  EXPECT_TRUE(ParseInteger("-12", &value));
  EXPECT_EQ(value, -12);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "1.0", "9223372036854775808"}) {
    EXPECT_FALSE(ParseInteger(text, &value)) << text;
  }
}

TEST(Words, TrimAndCase) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim("  "), "");
  EXPECT_EQ(Upper("aZ_9"), "AZ_9");
  EXPECT_EQ(Lower("aZ_9"), "az_9");
  EXPECT_TRUE(SameWord("Yes", "yES"));
  EXPECT_FALSE(SameWord("yes", "ye"));
}

}  // namespace
}  // namespace epik::config
