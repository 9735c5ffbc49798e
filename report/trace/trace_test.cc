// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "report/trace/protobuf.h"
#include "report/trace/reduce.h"
#include "report/trace/sorted_lines.h"

namespace epik::report {
namespace {

// However few lines fit into memory, they come out by time, and lines with the same time keep their order.
TEST(SortedLines, AreInOrderHoweverManyWaitOnDisk) {
  for (const size_t most_bytes : {size_t{1} << 30, size_t{5000}, size_t{100}}) {
    std::mt19937 random(7);
    SortedLines lines(most_bytes);
    std::vector<std::pair<int64_t, int>> wanted;
    for (int i = 0; i < 2000; ++i) {
      const auto time = static_cast<int64_t>(random() % 300) - 100;
      wanted.emplace_back(time, i);
      lines.Add(time, std::to_string(time) + " " + std::to_string(i) + "\n");
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    ASSERT_TRUE(lines.Write(AppendTo(&text)));
    std::istringstream in(text);
    for (const auto& [time, number] : wanted) {
      int64_t found_time = 0;
      int found = 0;
      ASSERT_TRUE(in >> found_time >> found);
      ASSERT_EQ(std::pair(time, number), std::pair(found_time, found)) << most_bytes;
    }
    std::string rest;
    EXPECT_FALSE(in >> rest);
  }
}

TEST(SortedLines, OfNothingAreNone) {
  SortedLines lines;
  std::string text;
  EXPECT_TRUE(lines.Write(AppendTo(&text)));
  EXPECT_EQ("", text);
}

// All calls that are at least as long as the answer fit, and would not with a much lower limit.
TEST(BytesByDuration, SaysFromWhereOnAllFits) {
  std::mt19937_64 random(7);
  std::vector<int64_t> durations;
  BytesByDuration calls;
  for (int i = 0; i < 5000; ++i) {
    durations.push_back(static_cast<int64_t>(random() >> (1 + random() % 62)));
    calls.Add(durations.back(), 10);
  }
  const auto bytes_from = [&](int64_t shortest) {
    return 10 * static_cast<uint64_t>(
                    std::count_if(durations.begin(), durations.end(), [&](int64_t d) { return d >= shortest; }));
  };
  for (const uint64_t most : {0, 9, 10, 1000, 20000, 49990}) {
    const int64_t shortest = calls.ShortestThatFits(most);
    EXPECT_LE(bytes_from(shortest), most);
    // Steps are an eighth of a power of two, and this contains one step more.
    if (shortest != INT64_MAX) {
      EXPECT_GT(bytes_from(shortest - shortest / 8 - 1), most) << shortest;
    }
  }
  EXPECT_EQ(0, calls.ShortestThatFits(50000));
}

TEST(ProtoMessage, IsEncodedAsItsSpecificationSays) {
  EXPECT_EQ("\x08\x96\x01", ProtoMessage().Number(1, 150).bytes());         // the example of protobuf.dev
  EXPECT_EQ("\x12\x07testing", ProtoMessage().Text(2, "testing").bytes());  // the next example there
  EXPECT_EQ(std::string("\x1a\x03\x08\x96\x01"), ProtoMessage().Message(3, ProtoMessage().Number(1, 150)).bytes());
  EXPECT_EQ(std::string("\xf9\x02\x01\0\0\0\0\0\0\0", 10), ProtoMessage().Fixed64(47, 1).bytes());
  EXPECT_EQ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ProtoMessage().Number(1, ~uint64_t{0}).bytes());
}

}  // namespace
}  // namespace epik::report
