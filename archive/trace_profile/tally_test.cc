// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/tally.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

constexpr size_t kPaths = 10, kMetrics = 3;
constexpr uint64_t kHuge = ~uint64_t{0};

Tally Any() {
  Tally tally;
  CallSums sums;
  sums.node = 0xffffffff;
  sums.path = 9;
  sums.visits = kHuge;
  sums.min = 3;
  sums.max = kHuge;
  sums.exclusive = 5;
  sums.squares = 1e300;
  sums.unfinished = 1;
  tally.calls = {{sums}, {{7, kHuge, 8}}, {{kHuge, 9}}};
  tally.counters = {{2, 9, kHuge}};
  tally.traffic.metrics = {event::kBytesSentMetric, 0};
  tally.traffic.sums = {{event::kBytesSentMetric, 9, kHuge, 2}, {0, 1, 3, 0}};
  tally.traffic.begun = {{kHuge, kNone, LocationTraffic::kNoSend, true, 3, kHuge}};
  tally.traffic.ended = {{kHuge, true, 1, 2}};
  return tally;
}

TEST(Tally, ComesOutAsItWasPacked) {
  const std::string packed = PackTally(Any());
  Tally tally;
  ASSERT_TRUE(UnpackTally(packed, kPaths, kMetrics, &tally));
  EXPECT_EQ(PackTally(tally), packed);
  EXPECT_EQ(tally.calls.sums.front().squares, 1e300);
  EXPECT_EQ(tally.calls.parts.at(kHuge), 9u);
  EXPECT_EQ(tally.traffic.begun.front().path, kNone);
  EXPECT_TRUE(tally.traffic.begun.front().is_posted);
  EXPECT_EQ(tally.traffic.begun.front().in, kHuge);
  EXPECT_TRUE(tally.traffic.ended.front().is_cancelled);
}

TEST(Tally, IsRefusedWhenItIsNotWhole) {
  const std::string packed = PackTally(Any());
  Tally tally;
  for (size_t cut = 0; cut < packed.size(); ++cut) {
    EXPECT_FALSE(UnpackTally(packed.substr(0, cut), kPaths, kMetrics, &tally)) << cut;
  }
  EXPECT_FALSE(UnpackTally(packed + '\0', kPaths, kMetrics, &tally));
}

TEST(Tally, IsRefusedWhenItsArchiveHasLess) {
  const std::string packed = PackTally(Any());
  Tally tally;
  EXPECT_FALSE(UnpackTally(packed, 9, kMetrics, &tally));
  EXPECT_FALSE(UnpackTally(packed, kPaths, 2, &tally));
}

}  // namespace
}  // namespace epik::archive
