// SPDX-License-Identifier: BSD-3-Clause
// A board of several processes: threads here, which share no lock but the board's.
#include "runtime/monitor/board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/event/collectives.h"

namespace epik::monitor {
namespace {

class BoardTest : public ::testing::Test {
 protected:
  void Open(uint64_t cells) {
    memory_.assign(Board::BytesFor(cells) / 8, 0);
    board_.Open(memory_.data(), cells);
  }
  uint64_t Used() const {
    uint64_t used = 0;
    for (const uint64_t word : memory_) used += word != 0 ? 1 : 0;
    return used;
  }
  bool IsBroken() { return __atomic_load_n(reinterpret_cast<uint32_t*>(memory_.data()) + 1, __ATOMIC_RELAXED) != 0; }

  std::vector<uint64_t> memory_;
  Board board_;
};

TEST_F(BoardTest, NothingIsThereOfWhatNobodyTold) {
  Open(64);
  BoardCell cell;
  EXPECT_FALSE(board_.Look(Board::PlaceOf(1, 1), &cell));
  EXPECT_FALSE(board_.Take(Board::PlaceOf(1, 1), Board::Need::kGiven, 1, &cell));
  EXPECT_FALSE(board_.TakeMessage(Board::PlaceOf(1, 1), {5, true, false}, &cell));
  EXPECT_EQ(Used(), 0u);
  board_.Close();
  EXPECT_FALSE(board_.Tell(Board::PlaceOf(1, 1), 5, 1));
}

TEST_F(BoardTest, PlacesOfDifferentThingsAreDifferent) {
  for (uint64_t stream = 0; stream < 50; ++stream) {
    for (uint64_t sequence = 0; sequence < 50; ++sequence) {
      const Board::Place place = Board::PlaceOf(stream, sequence);
      EXPECT_NE(place.key, 0u);
      EXPECT_NE(place.key, Board::PlaceOf(stream + 1, sequence).key);
      EXPECT_NE(place.key, Board::PlaceOf(stream, sequence + 1).key);
    }
  }
}

// When there is no room, the oldest cell is dropped. A lookup never finds the cell of another operation.
TEST_F(BoardTest, TheOldestGoes) {
  Open(4);
  constexpr uint64_t kMost = 14, kTold = 40;
  for (uint64_t i = 1; i <= kTold; ++i) EXPECT_TRUE(board_.Tell(Board::PlaceOf(1, i), 100 + i, 1));
  BoardCell cell;
  uint64_t found = 0;
  for (uint64_t i = 1; i <= kTold; ++i) {
    if (!board_.Look(Board::PlaceOf(1, i), &cell)) continue;
    EXPECT_EQ(cell.last, 100 + i);
    ++found;
  }
  EXPECT_EQ(found, kMost);
  EXPECT_TRUE(board_.Look(Board::PlaceOf(1, kTold), &cell));
}

// Half of the cells that were asked for find room, wherever their streams lie: others are taken by then.
TEST_F(BoardTest, ThereIsRoomForWhatIsOpenAtATime) {
  constexpr uint64_t kStreams = 64, kOfEach = 32;
  Open(2 * kStreams * kOfEach);
  for (uint64_t i = 0; i < kStreams * kOfEach; ++i) board_.Tell(Board::PlaceOf(i % kStreams, i / kStreams), 1 + i, 1);
  BoardCell cell;
  for (uint64_t i = 0; i < kStreams * kOfEach; ++i) {
    ASSERT_TRUE(board_.Look(Board::PlaceOf(i % kStreams, i / kStreams), &cell)) << i;
    EXPECT_EQ(cell.last, 1 + i);
  }
  for (uint64_t i = 0; i < kStreams * kOfEach; ++i)
    board_.TakeMessage(Board::PlaceOf(i % kStreams, i / kStreams), {5, true, false}, &cell);
  EXPECT_EQ(Used(), 0u);
}

// A process was killed with a lock: the others go on after a while, and use the board no longer.
TEST_F(BoardTest, ALockThatNobodyGivesBackBreaksIt) {
  Open(4);
  reinterpret_cast<uint32_t*>(memory_.data())[0] = 1;
  EXPECT_FALSE(board_.Tell(Board::PlaceOf(1, 1), 1, 1));
  EXPECT_TRUE(IsBroken());
  reinterpret_cast<uint32_t*>(memory_.data())[0] = 0;
  EXPECT_FALSE(board_.Tell(Board::PlaceOf(1, 1), 1, 1));
}

TEST_F(BoardTest, ManyAtOnce) {
  // Threads meet once a batch: on a busy machine, each of them may have to wait for its turn then.
  constexpr uint32_t kMembers = 4, kBatch = 64, kOperations = 320 * kBatch;
  Open(1 << 14);
  std::vector<std::thread> threads;
  std::atomic<uint64_t> whole = 0, wrong = 0;
  for (uint32_t m = 0; m < kMembers; ++m) {
    threads.emplace_back([&, m] {
      for (uint64_t first = 1; first <= kOperations; first += kBatch) {
        BoardCell cell;
        for (uint64_t i = first; i < first + kBatch; ++i) {
          if (!board_.Post(Board::PlaceOf(3, i), {10 * i + m, 10 * i + m, true, true, kMembers}, &cell)) ++wrong;
        }
        // No cell may be dropped meanwhile, because few operations are open at a time.
        for (uint64_t i = first; i < first + kBatch; ++i) {
          while (!board_.Take(Board::PlaceOf(3, i), Board::Need::kAll, kMembers, &cell)) {
            if (IsBroken()) return;
            std::this_thread::yield();
          }
          if (cell.last != 10 * i + kMembers - 1 || cell.first != 10 * i) ++wrong;
          whole += cell.posted == kMembers ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (IsBroken()) GTEST_SKIP() << "the machine stopped a thread with a lock of the board for too long";
  EXPECT_EQ(whole, uint64_t{kMembers} * kOperations);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(Used(), 0u);
}

TEST(Absence, IsExactUnlessItIsLong) {
  for (const uint64_t ticks : {0ull, 1ull, 5ull, (1ull << 30) - 2}) {
    EXPECT_EQ(event::TicksOfAbsence(event::AbsenceOf(ticks, ticks == 5)), ticks);
  }
  for (const uint64_t ticks : {(1ull << 30) - 1, 1ull << 30, 123456789012ull}) {
    const uint64_t told = event::TicksOfAbsence(event::AbsenceOf(ticks, true));
    EXPECT_TRUE(told <= ticks && ticks - told < 1u << 20) << ticks;
  }
  EXPECT_LT(event::TicksOfAbsence(event::AbsenceOf(~uint64_t{0}, false)), ~uint64_t{0});
}

}  // namespace
}  // namespace epik::monitor
