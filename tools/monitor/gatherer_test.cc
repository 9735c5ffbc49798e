// SPDX-License-Identifier: BSD-3-Clause
// Planted calls, against what must be said of them.
#include "tools/monitor/gatherer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace epik::monitor {
namespace {

constexpr uint64_t kComm = 7;

Part PartOf(int32_t rank, uint32_t sequence, double entered, double left) {
  return {kComm, sequence, rank, 0, 3, entered, left};
}

TEST(Gatherer, NamesWhoCameLastHowOftenAndHowLate) {
  Gatherer gatherer;
  gatherer.Define(kComm, 3);
  for (uint32_t call = 1; call <= 10; ++call) {
    const int32_t late = call <= 7 ? 2 : 0;
    for (int32_t rank = 2; rank >= 0; --rank) {
      gatherer.Add(PartOf(rank, call, call + (rank == late ? 0.5 : 0.1 * rank), call + 0.6));
    }
  }
  const std::vector<LastArrival> last = gatherer.TakeLastArrivals();
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(last[0].rank, 2);
  EXPECT_EQ(last[0].count, 7u);
  EXPECT_DOUBLE_EQ(last[0].share, 0.7);
  EXPECT_NEAR(last[0].late, 0.45, 1e-9);  // the others came at 0 and 0.1
  EXPECT_EQ(last[1].rank, 0);
  EXPECT_NEAR(last[1].late, 0.35, 1e-9);
  EXPECT_NEAR(gatherer.TakeWaited(), 7 * (0.5 + 0.4) + 3 * (0.4 + 0.3), 1e-9);
  EXPECT_EQ(gatherer.gathered(), 10u);
  EXPECT_TRUE(gatherer.TakeLastArrivals().empty());
  EXPECT_EQ(gatherer.TakeWaited(), 0);
}

TEST(Gatherer, StatisticsAreThoseOfTheParts) {
  Gatherer gatherer;
  gatherer.Define(kComm, 2);
  std::mt19937 random(3);
  std::vector<double> waits;
  for (uint32_t call = 1; call <= 500; ++call) {
    const double wait = static_cast<double>(random() % 1000) / 1000;
    waits.push_back(wait);
    gatherer.Add(PartOf(0, call, call, call + 2));
    gatherer.Add(PartOf(1, call, call + wait, call + 2.5));
  }
  const Wrapper& first = gatherer.wrappers().at({3, 0, 0});
  double sum = 0, squares = 0;
  for (const double wait : waits) sum += wait;
  for (const double wait : waits) squares += (wait - sum / 500) * (wait - sum / 500);
  std::vector<double> latest(waits.end() - 100, waits.end());
  std::sort(latest.begin(), latest.end());
  EXPECT_EQ(first.arrival.count(), 500u);
  EXPECT_NEAR(first.arrival.mean(), sum / 500, 1e-9);
  EXPECT_NEAR(first.arrival.deviation(), std::sqrt(squares / 500), 1e-9);
  EXPECT_NEAR(first.arrival.median(), (latest[49] + latest[50]) / 2, 1e-9);
  EXPECT_NEAR(first.arrival.max(), *std::max_element(waits.begin(), waits.end()), 1e-9);
  EXPECT_NEAR(first.total.mean(), 2, 1e-9);
  EXPECT_NEAR(gatherer.wrappers().at({3, 1, 0}).departure.mean(), 0.5, 1e-9);
}

TEST(Gatherer, PartsMayComeInAnyOrderAndSomeNever) {
  Gatherer gatherer;
  gatherer.Define(kComm, 4);
  for (uint32_t call = 100; call > 0; --call) {
    for (int32_t rank = 0; rank < 4; ++rank) {
      if (call != 50 || rank != 2) gatherer.Add(PartOf(rank, call, call, call + 1));
    }
  }
  EXPECT_EQ(gatherer.gathered(), 99u);
  gatherer.Add({8, 1, 0, 0, 3, 1, 2});  // of a communicator that nobody knows
  for (uint32_t call = 101; call < 101 + (1 << 16) + 10; ++call) gatherer.Add(PartOf(0, call, call, call + 1));
  EXPECT_GT(gatherer.incomplete(), 0u);
  EXPECT_EQ(gatherer.gathered(), 99u);
}

TEST(Running, OfNothingAndOfFew) {
  Running values;
  EXPECT_EQ(values.median(), 0);
  EXPECT_EQ(values.deviation(), 0);
  values.Add(3);
  EXPECT_EQ(values.median(), 3);
  values.Add(5);
  EXPECT_EQ(values.median(), 4);
  EXPECT_EQ(values.deviation(), 1);
}

}  // namespace
}  // namespace epik::monitor
