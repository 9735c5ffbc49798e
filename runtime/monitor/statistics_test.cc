// SPDX-License-Identifier: BSD-3-Clause
// Statistics that a process computes of its own calls. The test plays a partner on the board.
#include "runtime/monitor/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/arena.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"
#include "runtime/event/statistics.h"
#include "runtime/monitor/collectors.h"
#include "runtime/monitor/known.h"

namespace epik::monitor {
namespace {

using event::StatisticsRow;
using event::StatisticsView;

constexpr uint32_t kCommunicator = 3;
constexpr Membership kPair = {77, 0, 2, false};

class StatisticsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base::clock_is_tsc = false;
    episode::ForgetAll();
    ASSERT_EQ(base::Arena::Create(nullptr, 64u << 20), 0);
    ASSERT_TRUE(epitome::OpenTables(64u << 20));
    episode::Options options;
    options.settings.monitor_buffer = 1u << 20;
    options.settings.monitor_statistics = true;
    episode::adapter_options.monitor_groups = 1;
    collectors_part.start(options);
    const episode::Inside guard;
    location_ = episode::Attach(episode::Origin{}, 1);
    memory_.resize(Pages::BytesFor(kPages));
    known.pages.Open(memory_.data(), kPages);
    KnowCommunicator(kCommunicator, kPair);
  }
  void TearDown() override {
    if (episode::current != nullptr) episode::Detach(episode::current, ~uint64_t{0} >> 8);
    collectors_part.forget();
    base::Arena::Destroy();
    epitome::CloseTables();
    episode::ForgetAll();
  }

  void Call(uint32_t sequence, uint64_t from, uint64_t until, uint32_t region = 20, uint32_t of = kCommunicator) {
    const event::Key key = event::RegionKey(region);
    episode::Enter(location_, key, 1000, [from] { return from; });
    NoteCollective(location_, {0, until, 0, of, sequence, event::AboutCollective(-1, true, true)}, nullptr);
    episode::Exit(location_, key, 1000, [until] { return until + 1; });
  }
  // The partner tells of its part in the call.
  static void Partner(uint32_t sequence, uint64_t from, uint64_t until, const Membership& pair = kPair) {
    const uint32_t i = sequence % kOperationsOfPage;
    PageTimes last = {}, first = {};
    last[i] = from;
    first[i] = until;
    PagePart part;
    part.last = last;
    part.first = first;
    part.tells = part.gives = 1u << i;
    PageNews news;
    const Board::Place place = Board::PlaceOf(pair.id ^ kStatisticsSalt, sequence / kOperationsOfPage);
    EXPECT_TRUE(known.pages.Exchange(place, 2, part, &news));
  }
  void Compute() {
    const episode::Inside guard;
    const base::Locked lock(known.lock);
    now_ += 1'000'000'000;  // long enough to show it
    ComputeStatistics(location_, base::Now() + now_);
  }
  StatisticsView View() const { return {OwnArena(), location_}; }
  std::vector<StatisticsRow> Rows() const {
    std::vector<StatisticsRow> rows;
    View().ForEach([&](uint32_t, const StatisticsRow& row) { rows.push_back(row); });
    return rows;
  }

  static constexpr uint64_t kPages = 1 << 10;
  std::vector<char> memory_;
  event::Location* location_ = nullptr;
  uint64_t now_ = 0;
};

TEST_F(StatisticsTest, ACallCountsWhenAllHaveTold) {
  Call(1, 100, 200);
  EXPECT_FALSE(View().IsThere());
  Compute();
  ASSERT_TRUE(View().IsThere());
  EXPECT_TRUE(Rows().empty());
  Partner(1, 150, 180);
  Compute();
  ASSERT_EQ(Rows().size(), 1u);
  const StatisticsRow row = Rows()[0];
  EXPECT_EQ(event::NodeAt(row.node)->key, event::RegionKey(20));
  EXPECT_EQ(row.total.count, 1u);
  EXPECT_EQ(row.total.mean, 100);
  EXPECT_EQ(row.arrival.mean, 50);
  EXPECT_EQ(row.departure.mean, 20);
  EXPECT_EQ(View().waited(), 50u);
  EXPECT_EQ(View().unknown(), 0u);
}

TEST_F(StatisticsTest, EveryFigureIsThatOfAllCallsAndTheMedianThatOfTheLatestHundred) {
  event::Running total;
  event::Summary all;
  for (uint32_t i = 1; i <= 250; ++i) {
    const uint64_t from = 1000 * i, until = from + 10 + (i * 37) % 101;
    Partner(i, from + 5, until - 3);
    Call(i, from, until);
    total.Add(static_cast<double>(until - from), static_cast<double>(from));
    if (i % 64 == 0) all.Merge(total.Take());
  }
  all.Merge(total.Take());
  Compute();
  ASSERT_EQ(Rows().size(), 1u);
  const event::Summary mine = Rows()[0].total;
  EXPECT_EQ(mine.count, 250u);
  EXPECT_EQ(mine.min, all.min);
  EXPECT_EQ(mine.max, all.max);
  EXPECT_EQ(mine.median, all.median);
  EXPECT_NEAR(mine.mean, all.mean, 1e-9);
  EXPECT_NEAR(mine.Deviation(), all.Deviation(), 1e-9);
  EXPECT_EQ(Rows()[0].arrival.mean, 5);
  EXPECT_EQ(Rows()[0].departure.max, 3);
}

TEST_F(StatisticsTest, NoCallCountsBeforeThoseThatWait) {
  Partner(2, 310, 380);
  Call(1, 100, 200);
  Call(2, 300, 400);
  Compute();
  EXPECT_TRUE(Rows().empty());
  Partner(1, 110, 180);
  Compute();
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_EQ(Rows()[0].total.count, 2u);
}

TEST_F(StatisticsTest, TheMedianIsOfTheCallsThatBeganLast) {
  constexpr Membership kOther = {78, 0, 2, false};
  KnowCommunicator(6, kOther);
  // The calls of one communicator are long. They began first, and are complete last.
  for (uint32_t i = 1; i <= 100; ++i) Call(i, 10'000 * i, 10'000 * i + 5'000);
  for (uint32_t i = 1; i <= 100; ++i) {
    const uint64_t from = 2'000'000 + 100 * i;
    Call(i, from, from + 10, 20, 6);
    Partner(i, from, from + 10, kOther);
  }
  Compute();
  for (uint32_t i = 1; i <= 100; ++i) Partner(i, 10'000 * i, 10'000 * i + 5'000);
  Compute();
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_EQ(Rows()[0].total.count, 200u);
  EXPECT_EQ(Rows()[0].total.median, 10);
}

TEST_F(StatisticsTest, OneCommunicatorDoesNotWaitForAnother) {
  constexpr Membership kOther = {78, 0, 2, false};
  KnowCommunicator(6, kOther);
  Call(1, 100, 200);
  Call(1, 300, 400, 21, 6);
  Call(2, 500, 600);
  Partner(1, 310, 390, kOther);
  Partner(2, 510, 590);
  Compute();
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_EQ(event::NodeAt(Rows()[0].node)->key, event::RegionKey(21));
}

TEST_F(StatisticsTest, ManyCommunicatorsThatLackSomebodyAllComeInTheEnd) {
  constexpr uint32_t kMany = 20;
  for (uint32_t i = 0; i < kMany; ++i) {
    KnowCommunicator(10 + i, {100 + i, 0, 2, false});
    Call(1, 100 * i + 1, 100 * i + 50, 20, 10 + i);
  }
  Compute();
  EXPECT_TRUE(Rows().empty());
  for (uint32_t i = 0; i < kMany; ++i) Partner(1, 100 * i + 2, 100 * i + 49, {100 + i, 0, 2, false});
  Compute();
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_EQ(Rows()[0].total.count, kMany);
}

TEST_F(StatisticsTest, TheyAreShownNowAndThenAndNoCallIsForgotten) {
  for (uint32_t i = 1; i <= 2; ++i) {
    Partner(i, 100 * i, 100 * i + 10);
    Call(i, 100 * i, 100 * i + 10);
    const episode::Inside guard;
    const base::Locked lock(known.lock);
    ComputeStatistics(location_, i);  // the second is a tick later
  }
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_EQ(Rows()[0].total.count, 1u);
  Compute();
  EXPECT_EQ(Rows()[0].total.count, 2u);
}

TEST_F(StatisticsTest, RowsOfManyCallPathsAreInSeveralChunksAndTheRestIsCounted) {
  constexpr uint32_t kPaths = 1100, kRoom = 1024;
  for (uint32_t i = 1; i <= kPaths; ++i) {
    Partner(i, 10 * i, 10 * i + 5);
    Call(i, 10 * i, 10 * i + 5, 20 + i);
  }
  Compute();
  std::vector<uint32_t> nodes;
  for (const StatisticsRow& row : Rows()) nodes.push_back(row.node);
  EXPECT_EQ(nodes.size(), kRoom);
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(std::unique(nodes.begin(), nodes.end()), nodes.end());
  EXPECT_EQ(View().unknown(), kPaths - kRoom);
}

TEST_F(StatisticsTest, APartnerThatIsGoneLeavesItsCallsUnknown) {
  constexpr uint32_t kCalls = 6000;
  for (uint32_t i = 1; i <= kCalls; ++i) Call(i, 10 * i, 10 * i + 5);
  Compute();
  EXPECT_TRUE(Rows().empty());
  const uint64_t unknown = View().unknown();
  EXPECT_GT(unknown, 0u);
  // A partner that comes back finds the calls that still wait for it.
  for (uint32_t i = kCalls - 100 + 1; i <= kCalls; ++i) Partner(i, 10 * i, 10 * i + 5);
  Compute();
  EXPECT_LE(Rows().size(), 1u);
}

TEST_F(StatisticsTest, CallsOfUnknownCommunicatorsAreUnknownAndThoseOfOneProcessAreNone) {
  KnowCommunicator(5, {78, 0, 1, false});
  Call(1, 10, 20, 20, 4);
  Call(1, 30, 40, 20, 5);
  Compute();
  EXPECT_TRUE(Rows().empty());
  EXPECT_EQ(View().unknown(), 1u);
}

TEST_F(StatisticsTest, WhoReadsWhileTheyAreWrittenGetsWholeRowsOnly) {
  Partner(1, 10, 15);
  Call(1, 10, 15);
  Compute();
  std::atomic<bool> done = false;
  std::atomic<uint64_t> got = 0;
  uint64_t torn = 0, latest = 0;
  const StatisticsView view = View();
  std::thread reader([&] {
    for (bool last = false; !last;) {
      last = done;
      view.ForEach([&](uint32_t, const StatisticsRow& row) {
        ++got;
        torn += row.arrival.count != row.total.count || row.departure.count != row.total.count ||
                row.total.max != 5 * static_cast<double>(row.total.count) || row.total.count < latest;
        latest = row.total.count;
      });
    }
  });
  uint32_t i = 1;
  while (got < 1000) {
    ++i;
    const uint64_t from = uint64_t{1'000'000} * i, until = from + 5 * i;  // each is the longest so far
    Partner(i, from, until);
    Call(i, from, until);
    Compute();
  }
  done = true;
  reader.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(Rows()[0].total.count, i);
}

TEST_F(StatisticsTest, DamageIsNoStatistics) {
  Partner(1, 10, 20);
  Call(1, 10, 20);
  Compute();
  ASSERT_EQ(Rows().size(), 1u);
  auto* ring = base::LineAt<event::CollectiveRing>(location_->collectives + 1);
  const uint32_t chunk = ring->statistics;
  for (const uint32_t line : {~0u, location_->collectives, chunk + 1}) {
    ring->statistics = line;
    EXPECT_FALSE(View().IsThere());
  }
  ring->statistics = chunk;
  auto* header = base::LineAt<base::ChunkHeader>(chunk);
  header->next = chunk;  // a circle
  EXPECT_GE(Rows().size(), 1u);
  header->next = ~0u;
  header->used = ~0u;
  EXPECT_EQ(Rows().size(), event::kRowsOfChunk);
  header->used = 1;
  base::LineAt<StatisticsRow>(chunk + 2)->version = 3;  // being written
  EXPECT_TRUE(Rows().empty());
}

}  // namespace
}  // namespace epik::monitor
