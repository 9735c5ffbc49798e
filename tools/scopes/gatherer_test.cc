// SPDX-License-Identifier: BSD-3-Clause
// Planted calls, against the results that must come out.
#include "tools/scopes/gatherer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace epik::scopes {
namespace {

constexpr uint64_t kComm = 7;

Part PartOf(int32_t rank, uint32_t sequence, double entered, double left) {
  return {kComm, sequence, rank, 0, 3, entered, left};
}

Rows TakeAll(Gatherer* gatherer) {
  Rows rows;
  gatherer->Take(&rows);
  return rows;
}

TEST(Gatherer, NamesWhoCameLastHowOftenAndHowLate) {
  for (const bool keeps_parts : {true, false}) {
    Gatherer gatherer(keeps_parts);
    gatherer.Define(kComm, 3);
    for (uint32_t call = 1; call <= 10; ++call) {
      const int32_t late = call <= 7 ? 2 : 0;
      for (int32_t rank = 2; rank >= 0; --rank) {
        gatherer.Add(PartOf(rank, call, call + (rank == late ? 0.5 : 0.1 * rank), call + 0.6));
      }
    }
    const Rows rows = TakeAll(&gatherer);
    ASSERT_EQ(rows.arrivals.size(), 2u);
    EXPECT_EQ(rows.arrivals[1].rank, 2);
    EXPECT_EQ(rows.arrivals[1].count, 7u);
    EXPECT_NEAR(rows.arrivals[1].late, 7 * 0.45, 1e-9);  // the others came at 0 and 0.1
    EXPECT_EQ(rows.arrivals[0].rank, 0);
    EXPECT_NEAR(rows.arrivals[0].late, 3 * 0.35, 1e-9);
    EXPECT_EQ(rows.gathered, 10u);
    EXPECT_NEAR(rows.waited, keeps_parts ? 7 * (0.5 + 0.4) + 3 * (0.4 + 0.3) : 0, 1e-9);
    const Rows none = TakeAll(&gatherer);
    EXPECT_TRUE(none.arrivals.empty() && none.wrappers.empty());
    EXPECT_EQ(none.waited, 0);
  }
}

TEST(Gatherer, StatisticsAreThoseOfThePartsHoweverOftenTheyAreTaken) {
  Gatherer gatherer;
  gatherer.Define(kComm, 2);
  std::mt19937 random(3);
  std::vector<double> waits;
  Summary arrival, total, departure;
  for (uint32_t call = 1; call <= 500; ++call) {
    const double wait = static_cast<double>(random() % 1000) / 1000;
    waits.push_back(wait);
    gatherer.Add(PartOf(0, call, call, call + 2));
    gatherer.Add(PartOf(1, call, call + wait, call + 2.5));
    if (random() % 7 != 0 && call != 500) continue;
    const Rows rows = TakeAll(&gatherer);
    ASSERT_EQ(rows.wrappers.size(), 2u);
    arrival.Merge(rows.wrappers[0].arrival);
    total.Merge(rows.wrappers[0].total);
    departure.Merge(rows.wrappers[1].departure);
  }
  double sum = 0, squares = 0;
  for (const double wait : waits) sum += wait;
  for (const double wait : waits) squares += (wait - sum / 500) * (wait - sum / 500);
  std::vector<double> latest(waits.end() - 100, waits.end());
  std::sort(latest.begin(), latest.end());
  EXPECT_EQ(arrival.count, 500u);
  EXPECT_NEAR(arrival.mean, sum / 500, 1e-9);
  EXPECT_NEAR(arrival.Deviation(), std::sqrt(squares / 500), 1e-9);
  EXPECT_NEAR(arrival.median, (latest[49] + latest[50]) / 2, 1e-9);
  EXPECT_NEAR(arrival.max, *std::max_element(waits.begin(), waits.end()), 1e-9);
  EXPECT_NEAR(arrival.min, *std::min_element(waits.begin(), waits.end()), 1e-9);
  EXPECT_NEAR(total.mean, 2, 1e-9);
  EXPECT_NEAR(departure.mean, 0.5, 1e-9);
}

TEST(Gatherer, NobodyWaitsInACallThatOnlyBeginsAnOperation) {
  Gatherer gatherer;
  gatherer.Define(kComm, 2);
  gatherer.Add(PartOf(0, 1, 10, 10));
  gatherer.Add(PartOf(1, 1, 12, 12));
  const Rows rows = TakeAll(&gatherer);
  ASSERT_EQ(rows.arrivals.size(), 1u);
  EXPECT_EQ(rows.arrivals[0].rank, 1);
  EXPECT_NEAR(rows.arrivals[0].late, 2, 1e-9);
  EXPECT_EQ(rows.gathered, 1u);
  EXPECT_EQ(rows.waited, 0);
  EXPECT_TRUE(rows.wrappers.empty());
}

TEST(Gatherer, ACallThatEndsBeforeTheLastOneComesDoesNotWaitForIt) {
  for (const bool clocks_differ : {false, true}) {
    Gatherer gatherer;
    gatherer.Define(kComm, 3);
    if (clocks_differ) gatherer.ClocksDiffer();
    gatherer.Add(PartOf(0, 1, 1, 1.25));     // long before
    gatherer.Add(PartOf(1, 1, 1, 1.99999));  // so little that clocks may be wrong
    gatherer.Add(PartOf(2, 1, 2, 2.5));
    const Rows rows = TakeAll(&gatherer);
    const double close = clocks_differ ? 0.99999 : 0;
    ASSERT_EQ(rows.wrappers.size(), 3u);
    EXPECT_EQ(rows.wrappers[0].arrival.mean, 0);
    EXPECT_EQ(rows.wrappers[0].arrival.median, 0);
    EXPECT_NEAR(rows.wrappers[1].arrival.mean, close, 1e-12);
    EXPECT_EQ(rows.wrappers[2].arrival.mean, 0);
    EXPECT_NEAR(rows.waited, close, 1e-12);
    EXPECT_EQ(rows.arrivals.at(0).rank, 2);
  }
}

TEST(Gatherer, PartsMayComeInAnyOrderAndSomeNever) {
  Gatherer gatherer;
  gatherer.Define(kComm, 4);
  for (uint32_t call = 100; call > 0; --call) {
    for (int32_t rank = 0; rank < 4; ++rank) {
      if (call != 50 || rank != 2) gatherer.Add(PartOf(rank, call, call, call + 1));
    }
  }
  gatherer.Add(Part{8, 1, 0, 0, 3, 1, 2});  // of a communicator that nobody knows
  EXPECT_EQ(TakeAll(&gatherer).gathered, 99u);
  for (uint32_t call = 101; call < 101 + (1 << 16) + 10; ++call) gatherer.Add(PartOf(0, call, call, call + 1));
  const Rows rows = TakeAll(&gatherer);
  EXPECT_GT(rows.incomplete, 0u);
  EXPECT_EQ(rows.gathered, 0u);
  gatherer.GiveUp();
  EXPECT_EQ(TakeAll(&gatherer).incomplete + rows.incomplete, 1 + (1 << 16) + 10u);
}

// Their sequences tell no order, so those that lack parts must not take the places of other calls.
TEST(Gatherer, PersistentOperationsThatLackPartsLeaveOthersAlone) {
  Gatherer gatherer;
  gatherer.Define(kComm, 2);
  for (uint32_t i = 0; i < (1 << 16) + 10; ++i) gatherer.Add(PartOf(0, event::kFirstPersistent + i, 1, 1));
  for (int32_t rank = 0; rank < 2; ++rank) gatherer.Add(PartOf(rank, 5, 1, 2));
  for (int32_t rank = 0; rank < 2; ++rank) gatherer.Add(PartOf(rank, ~0u, 1, 1));
  const Rows rows = TakeAll(&gatherer);
  EXPECT_EQ(rows.gathered, 2u);
  EXPECT_GT(rows.incomplete, 0u);
  gatherer.GiveUp();
  EXPECT_EQ(TakeAll(&gatherer).incomplete + rows.incomplete, (1 << 16) + 10u);
}

TEST(Running, TheMedianIsOfTheLatestByTimeInWhateverOrderTheyAreAdded) {
  std::mt19937 random(5);
  for (const size_t count : {1, 2, 99, 100, 101, 102, 250}) {
    std::vector<std::pair<double, double>> values(count);  // time, value
    for (size_t i = 0; i < count; ++i) values[i] = {static_cast<double>(i), static_cast<double>(random() % 1000)};
    std::vector<double> latest;
    for (size_t i = count > 100 ? count - 100 : 0; i < count; ++i) latest.push_back(values[i].second);
    std::sort(latest.begin(), latest.end());
    const size_t n = latest.size();
    const double median = n % 2 == 1 ? latest[n / 2] : (latest[n / 2 - 1] + latest[n / 2]) / 2;
    for (int order = 0; order < 20; ++order) {
      Running running;
      for (const auto& [time, value] : values) running.Add(value, time);
      EXPECT_EQ(running.Take().median, median) << count << " values, order " << order;
      std::shuffle(values.begin(), values.end(), random);
    }
  }
}

TEST(Summary, OfNothingAndOfFew) {
  Running values;
  EXPECT_EQ(values.Take().median, 0);
  EXPECT_EQ(values.Take().Deviation(), 0);
  values.Add(3, 1);
  Summary all = values.Take();
  EXPECT_EQ(all.median, 3);
  values.Add(5, 2);
  all.Merge(values.Take());
  EXPECT_EQ(all.median, 4);
  EXPECT_EQ(all.Deviation(), 1);
  all.Merge(Summary());
  EXPECT_EQ(all.count, 2u);
}

}  // namespace
}  // namespace epik::scopes
