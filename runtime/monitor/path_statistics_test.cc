// SPDX-License-Identifier: BSD-3-Clause
// Figures of many calls, against those that monitors compute one by one.
#include "runtime/monitor/path_statistics.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace epik::monitor {
namespace {

TEST(PathStatisticsTest, TheyAreThoseOfMonitorsInWhateverOrderCallsCome) {
  std::mt19937 random(1);
  for (const uint32_t count : {1u, 2u, 99u, 100u, 101u, 255u, 256u, 1000u, 5000u}) {
    const auto mine = std::make_unique<PathStatistics>(PathStatistics{});
    event::Running total, departure;
    std::vector<TimedCall> calls;
    for (uint32_t i = 0; i < count; ++i) {
      calls.push_back({1'000'000 + 50 * i, 1000.0 + random() % 1000, 5.0, static_cast<double>(random() % 7)});
    }
    if (count % 2 == 0) std::shuffle(calls.begin(), calls.end(), random);
    for (const TimedCall& call : calls) {
      const auto took = static_cast<uint64_t>(call.total), late = static_cast<uint64_t>(call.departure);
      const uint64_t left = call.time + took, last = call.time + 5, first = left - late;
      EXPECT_EQ(mine->Add(&call.time, &left, &last, &first, 1), 5u);
      total.Add(call.total, static_cast<double>(call.time));
      departure.Add(call.departure, static_cast<double>(call.time));
    }
    const event::Summary expected = total.Take(), sums = mine->total.Take();
    EXPECT_EQ(sums.count, count);
    EXPECT_EQ(sums.min, expected.min);
    EXPECT_EQ(sums.max, expected.max);
    EXPECT_NEAR(sums.mean, expected.mean, 1e-9);
    EXPECT_NEAR(sums.Deviation(), expected.Deviation(), 1e-9);
    EXPECT_EQ(mine->latest.Median(&TimedCall::total), expected.median) << count;
    EXPECT_EQ(mine->latest.Median(&TimedCall::departure), departure.Take().median);
    EXPECT_EQ(mine->latest.Median(&TimedCall::arrival), 5.0);
    EXPECT_EQ(mine->total.Take().count, 0u);
  }
}

TEST(PathStatisticsTest, ACallThatEndsBeforeTheLastOneComesDoesNotWaitForIt) {
  const auto mine = std::make_unique<PathStatistics>(PathStatistics{});
  const uint64_t entered[] = {1000, 2000}, left[] = {1010, 2500}, last[] = {1400, 2400}, first[] = {1010, 2000};
  EXPECT_EQ(mine->Add(entered, left, last, first, 3), 400u);
  const event::Summary arrival = mine->arrival.Take();
  EXPECT_EQ(arrival.count, 2u);
  EXPECT_EQ(arrival.min, 0);
  EXPECT_EQ(arrival.max, 400);
  EXPECT_EQ(mine->latest.Median(&TimedCall::arrival), 200);
}

// One second among microseconds: the other values are compared with it.
TEST(PathStatisticsTest, AFirstValueThatIsFarOffCostsNoDigits) {
  Sums sums = {};
  event::Summary expected;
  for (uint32_t i = 0; i < 100'000; ++i) {
    const double value = i == 0 ? 3e9 : 3000 + i % 17;
    sums.Add(value);
    expected.Add(value);
  }
  const event::Summary taken = sums.Take();
  EXPECT_NEAR(taken.Deviation() / expected.Deviation(), 1, 1e-7);
  EXPECT_NEAR(taken.mean / expected.mean, 1, 1e-10);
}

}  // namespace
}  // namespace epik::monitor
