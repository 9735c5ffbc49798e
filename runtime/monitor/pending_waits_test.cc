// SPDX-License-Identifier: BSD-3-Clause
// Notes of several processes on one board, in any order, against the time that each must have waited.
#include "runtime/monitor/pending_waits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace epik::monitor {
namespace {

using event::AboutCollective;
using event::CollectiveEvent;
using event::CollectiveRole;
using event::Step;

constexpr uint32_t kRanks = 4;
constexpr uint32_t kNode = 7;
constexpr uint64_t kChannel = 99;

// A process of a job of four. The number of a node is the role of the call there.
struct Process final : WaitWorld {
  Process(Board* board, Pages* pages, int32_t own) : rank(own), pending(board, pages, this, own, 1 << 16) {}
  ~Process() { pending.Clear(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Membership MembersOf(uint32_t communicator) override {
    if (communicator == 9) return {};
    return {communicator, rank, kRanks, communicator == 8};
  }
  CollectiveRole RoleOfNode(uint32_t) override { return role; }
  CollectiveRole RoleOfBegun(uint32_t region) override { return static_cast<CollectiveRole>(region); }
  void Waited(uint32_t node, CollectiveRole of, uint64_t ticks) override {
    waited[{node, of}] += ticks;
    ++times;
  }
  void Unknown(uint32_t node) override { unknown[node] += 1; }

  int32_t rank;
  CollectiveRole role = CollectiveRole::kBarrier;
  std::map<std::pair<uint32_t, CollectiveRole>, uint64_t> waited;
  std::map<uint32_t, uint32_t> unknown;
  uint32_t times = 0;
  PendingWaits pending;
};

class PendingWaitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    memory_.resize(Board::BytesFor(1 << 14));
    board_.Open(memory_.data(), 1 << 14);
    page_memory_.resize(Pages::BytesFor(1 << 10));
    pages_.Open(page_memory_.data(), 1 << 10);
    for (int32_t r = 0; r < static_cast<int32_t>(kRanks); ++r) {
      ranks_.push_back(std::make_unique<Process>(&board_, &pages_, r));
    }
  }

  // A call of one rank that ends at 200. The rank tells of it at once.
  void Call(int32_t rank, CollectiveRole role, uint64_t entered, int32_t root = -1, bool gives = true, bool gets = true,
            uint32_t communicator = 0) {
    At(rank).role = role;
    At(rank).pending.Take({entered, 200, kNode, communicator, sequence_, AboutCollective(root, gives, gets)});
    At(rank).pending.TryOperations();
  }
  void Note(int32_t rank, Step step, uint64_t entered, uint64_t channel, uint32_t sequence, uint32_t flags = 0,
            uint32_t node = kNode, uint32_t number = 0) {
    const uint32_t about = static_cast<uint32_t>(step) | flags | event::kStepBit;
    At(rank).pending.Take({entered, channel, node, number, sequence, about});
  }
  // A standard send of rank 0 to another rank, in a call of its own; and when its receive was posted.
  void Standard(int32_t to, uint32_t sequence, uint64_t entered, uint64_t left, uint64_t bytes, uint32_t flags = 0) {
    Note(0, Step::kSent, entered, Channel(to), sequence, event::kStandardStep | flags);
    Note(0, Step::kLeft, bytes, Channel(to), sequence, event::kStandardStep | flags, kNode, static_cast<uint32_t>(to));
    Note(0, Step::kCall, entered, left, 0);
  }
  void Posted(int32_t rank, uint32_t sequence, uint64_t when, uint32_t absence = 0) {
    Note(rank, Step::kReceived, when, Channel(rank), sequence, 0, kNode, absence);
    Waited(rank, CollectiveRole::kLateSender);
  }
  static uint64_t Channel(int32_t to) { return kChannel + static_cast<uint64_t>(to); }
  Process& At(int32_t rank) { return *ranks_[static_cast<size_t>(rank)]; }
  // How long the rank has waited in all.
  uint64_t Waited(int32_t rank, CollectiveRole role, uint32_t node = kNode) {
    At(rank).pending.Try();
    return At(rank).waited[{node, role}];
  }
  bool IsBoardEmpty() const {
    const auto is_zero = [](char byte) { return byte == 0; };
    return std::all_of(memory_.begin(), memory_.end(), is_zero) &&
           std::all_of(page_memory_.begin(), page_memory_.end(), is_zero);
  }

  std::vector<char> memory_, page_memory_;
  Board board_;
  Pages pages_;
  std::vector<std::unique_ptr<Process>> ranks_;
  uint32_t sequence_ = 1;
};

TEST_F(PendingWaitsTest, AtABarrierForTheLast) {
  Call(1, CollectiveRole::kBarrier, 100);
  Call(0, CollectiveRole::kBarrier, 150, -1, false);  // a barrier has no data
  Call(3, CollectiveRole::kBarrier, 120);
  EXPECT_EQ(Waited(1, CollectiveRole::kBarrier), 0u);
  EXPECT_EQ(At(1).pending.size(), 1u);
  Call(2, CollectiveRole::kBarrier, 90);
  for (const auto& [rank, waited] : {std::pair(0, 0u), {1, 50u}, {2, 60u}, {3, 30u}}) {
    EXPECT_EQ(Waited(rank, CollectiveRole::kBarrier), waited) << rank;
    EXPECT_EQ(At(rank).pending.size(), 0u);
    EXPECT_EQ(At(rank).times, waited != 0 ? 1u : 0u);
  }
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, NotLongerThanTheCall) {
  Call(1, CollectiveRole::kBarrier, 100);
  for (const int32_t rank : {0, 2, 3}) Call(rank, CollectiveRole::kBarrier, 500);
  EXPECT_EQ(Waited(1, CollectiveRole::kBarrier), 100u);
}

TEST_F(PendingWaitsTest, WhereAllNeedAllOnlyForThoseThatGive) {
  Call(1, CollectiveRole::kAllToAll, 100);
  Call(0, CollectiveRole::kAllToAll, 150, -1, false);
  Call(2, CollectiveRole::kAllToAll, 130);
  Call(3, CollectiveRole::kAllToAll, 120, -1, true, false);  // it gets nothing
  EXPECT_EQ(Waited(1, CollectiveRole::kAllToAll), 30u);
  EXPECT_EQ(Waited(3, CollectiveRole::kAllToAll), 0u);
  ++sequence_;
  for (const int32_t rank : {0, 1, 2, 3}) Call(rank, CollectiveRole::kAllToAll, 100 + 10 * rank, -1, false);
  EXPECT_EQ(Waited(0, CollectiveRole::kAllToAll), 0u);
  for (const int32_t rank : {1, 2, 3}) Waited(rank, CollectiveRole::kAllToAll);
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, WhoGetsDataOfSomeDoesNotKnowItsWait) {
  const auto of_some = [&](int32_t rank, uint64_t entered) {
    At(rank).role = CollectiveRole::kAllToAll;
    At(rank).pending.Take({entered, 200, kNode, 0, sequence_, AboutCollective(-1, true, true, true)});
    At(rank).pending.TryOperations();
  };
  of_some(1, 100);
  Call(0, CollectiveRole::kAllToAll, 110);
  of_some(2, 150);
  Call(3, CollectiveRole::kAllToAll, 120);
  EXPECT_EQ(Waited(0, CollectiveRole::kAllToAll), 40u) << "they give data to it";
  EXPECT_EQ(Waited(3, CollectiveRole::kAllToAll), 30u);
  for (const int32_t rank : {1, 2}) {
    EXPECT_EQ(Waited(rank, CollectiveRole::kAllToAll), 0u);
    EXPECT_EQ(At(rank).unknown[kNode], 1u);
  }
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, WhoBeginsAnOperationWithDataOfSomeDoesNotKnowItsWait) {
  const auto alltoallv = static_cast<uint64_t>(CollectiveRole::kAllToAll);
  const uint32_t data = event::kGivesBit | event::kGetsBit;
  for (int32_t rank = 0; rank < 4; ++rank) {
    Note(rank, Step::kBegun, rank == 3 ? 170 : 20, alltoallv, 1, data | (rank == 1 ? event::kSomeBit : 0));
  }
  for (int32_t rank = 0; rank < 4; ++rank) {
    Note(rank, Step::kEnded, 0, alltoallv, 1, data | (rank == 1 ? event::kSomeBit : 0));
    Note(rank, Step::kCall, 100, 300, 0);
  }
  EXPECT_EQ(Waited(0, CollectiveRole::kAllToAll), 70u);
  EXPECT_EQ(Waited(2, CollectiveRole::kAllToAll), 70u);
  EXPECT_EQ(Waited(1, CollectiveRole::kAllToAll), 0u);
  EXPECT_EQ(At(1).unknown[kNode], 1u);
  Waited(3, CollectiveRole::kAllToAll);
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, ForARootThatIsLateWithoutTheOthers) {
  Call(1, CollectiveRole::kOneToAll, 100, 2);
  EXPECT_EQ(Waited(1, CollectiveRole::kOneToAll), 0u);
  Call(2, CollectiveRole::kOneToAll, 140, 2);
  EXPECT_EQ(Waited(1, CollectiveRole::kOneToAll), 40u);
  EXPECT_EQ(Waited(2, CollectiveRole::kOneToAll), 0u);
  Call(0, CollectiveRole::kOneToAll, 150, 2);
  Call(3, CollectiveRole::kOneToAll, 90, 2, true, false);
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, ARootThatGathersForTheFirst) {
  Call(1, CollectiveRole::kAllToOne, 100, 1);
  Call(0, CollectiveRole::kAllToOne, 150, 1);
  Call(2, CollectiveRole::kAllToOne, 130, 1);
  Call(3, CollectiveRole::kAllToOne, 110, 1, false);
  EXPECT_EQ(Waited(1, CollectiveRole::kAllToOne), 30u);
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, InAScanForThoseBefore) {
  Call(2, CollectiveRole::kScan, 100);
  Call(3, CollectiveRole::kScan, 190);
  Call(0, CollectiveRole::kScan, 120);
  EXPECT_EQ(Waited(2, CollectiveRole::kScan), 0u);
  Call(1, CollectiveRole::kScan, 110);
  EXPECT_EQ(Waited(2, CollectiveRole::kScan), 20u);
  EXPECT_EQ(Waited(1, CollectiveRole::kScan), 10u);
  Waited(3, CollectiveRole::kScan);
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, InAScanOfNothingForNobody) {
  for (const int32_t rank : {2, 3, 0, 1})
    Call(rank, CollectiveRole::kScan, 100 + static_cast<uint64_t>(3 - rank), -1, false, false);
  for (const int32_t rank : {1, 2, 3}) {
    EXPECT_EQ(Waited(rank, CollectiveRole::kScan), 0u);
    EXPECT_EQ(At(rank).unknown[kNode], 0u);
  }
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, AReceiveForItsSend) {
  Note(1, Step::kReceived, 100, kChannel, 1);
  Note(1, Step::kReceived, 300, kChannel, 2);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 0u);
  Note(0, Step::kSent, 240, kChannel, 2);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 0u);  // the second one was not late
  Note(0, Step::kSent, 130, kChannel, 1);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 30u);
  EXPECT_TRUE(IsBoardEmpty());
  Note(1, Step::kReceived, 100, kChannel, 0, event::kUncertainStep);
  EXPECT_EQ(At(1).unknown[kNode], 1u);
}

TEST_F(PendingWaitsTest, ASynchronousSendForItsReceive) {
  Note(0, Step::kSent, 100, kChannel, 1, event::kSynchronousStep | event::kGetsBit);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 0u);
  Note(1, Step::kReceived, 160, kChannel, 1);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 60u);
  EXPECT_TRUE(IsBoardEmpty());
}

// As long as no message that is not smaller went without its receive.
TEST_F(PendingWaitsTest, AStandardSendForItsReceive) {
  Standard(1, 1, 100, 200, 50);
  Posted(1, 1, 160);
  Standard(1, 2, 300, 400, 50);
  Posted(1, 2, 290);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 60u);
  EXPECT_TRUE(At(0).pending.MayNeedReceive(1, 0));
  Standard(1, 3, 500, 600, 50);
  Posted(1, 3, 600);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 60u);
  EXPECT_FALSE(At(0).pending.MayNeedReceive(1, 50));
  EXPECT_TRUE(At(0).pending.MayNeedReceive(1, 51));
  EXPECT_TRUE(At(0).pending.MayNeedReceive(2, 0));
  Standard(1, 4, 700, 800, 50);
  Posted(1, 4, 750);
  Standard(1, 5, 900, 1000, 51);
  Posted(1, 5, 950);
  Standard(2, 1, 1100, 1200, 50);
  Posted(2, 1, 1101);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 60u + 50u + 1u);
  EXPECT_EQ(At(0).pending.size(), 0u);
  EXPECT_TRUE(IsBoardEmpty());
}

// Some MPIs move small messages only while the receiver is in MPI: then its absence counts.
TEST_F(PendingWaitsTest, AStandardSendForAReceiverOutOfMpi) {
  Standard(1, 1, 100, 200, 50);
  Posted(1, 1, 250, event::AbsenceOf(149, false));
  Standard(1, 2, 300, 400, 50);
  Posted(1, 2, 350, event::AbsenceOf(20, false));
  Standard(1, 3, 410, 490, 50);
  Posted(1, 3, 450, event::AbsenceOf(100, false));
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 20u + 40u);
  EXPECT_TRUE(At(0).pending.MayNeedReceive(1, 50));
  Standard(1, 4, 500, 600, 50);
  Posted(1, 4, 650, event::AbsenceOf(150, false));
  Standard(1, 5, 700, 800, 50);
  Posted(1, 5, 750, event::AbsenceOf(100, false));
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 60u);
  EXPECT_TRUE(!At(0).pending.MayNeedReceive(1, 50) && At(0).unknown.empty() && IsBoardEmpty());
}

TEST_F(PendingWaitsTest, AReceiverThatProbedWasInMpi) {
  Standard(1, 1, 100, 200, 50);
  Posted(1, 1, 250, event::AbsenceOf(200, true));
  Standard(1, 2, 300, 400, 50);
  Posted(1, 2, 350, event::AbsenceOf(100, true));
  Standard(1, 3, 500, 600, 50);
  Posted(1, 3, 550);  // nobody knows where it was
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 50u);
  EXPECT_EQ(At(0).unknown[kNode], 1u);
}

TEST_F(PendingWaitsTest, StandardSendsAreDecidedInTheirOrder) {
  Standard(1, 1, 100, 200, 50);
  Standard(1, 2, 300, 400, 60);
  Standard(1, 3, 500, 600, 60);
  Standard(1, 4, 700, 800, 60);
  Standard(2, 1, 900, 1000, 60);
  Posted(1, 4, 690);
  Posted(2, 1, 910);
  Posted(1, 3, 510);
  Posted(1, 2, 450);
  // The second one needed no receive, so the third one did not wait. The first one may have waited.
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 10u);
  EXPECT_EQ(At(0).pending.size(), 6u);
  Posted(1, 1, 120);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 10u + 20u);
  EXPECT_EQ(At(0).pending.size(), 0u);
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, AStandardSendAfterOneOfWhichNothingIsKnown) {
  Standard(1, 1, 100, 200, 50, event::kUncertainStep);
  Waited(0, CollectiveRole::kLateReceiver);
  EXPECT_EQ(At(0).unknown[kNode], 1u);
  Standard(1, 1, 300, 400, 50);
  Posted(1, 1, 350);
  Standard(1, 2, 500, 600, 50);
  Posted(1, 2, 450);
  Standard(1, 3, 700, 800, 51);
  Posted(1, 3, 710);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 10u);
  EXPECT_EQ(At(0).unknown[kNode], 2u);
  Standard(1, 4, 900, 1000, 70);
  At(0).pending.GiveUp();
  EXPECT_EQ(At(0).unknown[kNode], 3u);
  Standard(1, 5, 1100, 1200, 70);
  Posted(1, 5, 1150);
  Standard(2, 1, 1300, 1400, 7);
  Posted(2, 1, 1350);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 10u + 50u);
  EXPECT_EQ(At(0).unknown[kNode], 4u);
  At(0).pending.Lose();
  Note(0, Step::kTest, 0, 0, 0);
  Standard(2, 2, 1500, 1600, 1000);
  Posted(2, 2, 1550);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 60u);
  EXPECT_EQ(At(0).unknown[kNode], 5u);
}

// One call sends and receives.
TEST_F(PendingWaitsTest, AnExchangeForBothSides) {
  Note(0, Step::kSent, 100, Channel(1), 1, event::kStandardStep);
  Note(0, Step::kArrived, 100, kChannel, 1);
  Note(0, Step::kLeft, 8, Channel(1), 1, event::kStandardStep, kNode, 1);
  Note(0, Step::kCall, 100, 300, 0);
  Note(2, Step::kSent, 130, kChannel, 1);
  Posted(1, 1, 180);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateSender), 30u);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 50u);
  EXPECT_TRUE(IsBoardEmpty());
}

// A call that begins a send which is over at its end does not wait. The message needed no receive.
TEST_F(PendingWaitsTest, AStandardSendThatIsOverAtOnce) {
  Standard(1, 1, 300, 300, 8);
  Posted(1, 1, 290);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 0u);
  EXPECT_TRUE(At(0).pending.MayNeedReceive(1, 8));
  Standard(1, 2, 400, 400, 8);
  Posted(1, 2, 410);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 0u);
  EXPECT_FALSE(At(0).pending.MayNeedReceive(1, 8));
  EXPECT_EQ(At(0).unknown[kNode], 0u);
}

// A test that completes a send has not waited, and does not tell whether the message needed its receive.
TEST_F(PendingWaitsTest, AStandardSendThatATestCompletes) {
  Note(0, Step::kSent, 100, Channel(1), 1, event::kStandardStep);
  Note(0, Step::kLeft, 8, Channel(1), 1, event::kStandardStep, kNode, 1);
  Note(0, Step::kTest, 100, 0, 0);
  Posted(1, 1, 180);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 0u);
  EXPECT_TRUE(At(0).pending.MayNeedReceive(1, 8));
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, AProbeAndTheReceiveAfterIt) {
  Note(1, Step::kReceived, 100, kChannel, 1, event::kProbedStep, 5);
  Note(1, Step::kReceived, 120, kChannel, 1, event::kAfterProbeStep);
  Note(0, Step::kSent, 130, kChannel, 1);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender, 5), 30u);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 10u);
  EXPECT_TRUE(IsBoardEmpty());
}

// One thread takes the message out of its channel, and another thread receives it.
TEST_F(PendingWaitsTest, AProbeInOneThreadAndTheReceiveInAnother) {
  for (const uint32_t synchronous : {0u, event::kSynchronousStep | event::kGetsBit}) {
    for (const bool probe_first : {true, false}) {
      const uint64_t before = Waited(1, CollectiveRole::kLateSender, 5);
      Note(1, Step::kReceived, 100, kChannel, 1, event::kProbedStep | event::kMatchedStep, 5);
      Note(2, Step::kReceived, 120, kChannel, 1, event::kMatchedStep, 6);
      Note(0, Step::kSent, 110, kChannel, 1, synchronous);
      Waited(probe_first ? 1 : 2, CollectiveRole::kLateSender);
      Waited(0, CollectiveRole::kLateReceiver);
      EXPECT_EQ(Waited(2, CollectiveRole::kLateSender, 6), 0u);
      EXPECT_EQ(Waited(1, CollectiveRole::kLateSender, 5) - before, 10u);
      Waited(0, CollectiveRole::kLateReceiver);
      EXPECT_TRUE(IsBoardEmpty());
    }
  }
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 20u);
}

TEST_F(PendingWaitsTest, AProbeDoesNotWaitLongerThanItsCall) {
  const uint32_t length = event::LengthOf(2000);
  EXPECT_EQ(length * event::kTicksOfLength, 2048u);
  EXPECT_EQ(event::LengthOf(~uint64_t{0}), 0u);
  Note(1, Step::kReceived, 100, kChannel, 1, event::kProbedStep, 5, length);
  Note(1, Step::kReceived, 9100, kChannel, 1, event::kAfterProbeStep);
  Note(0, Step::kSent, 9050, kChannel, 1);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender, 5), 2048u);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 0u);
  EXPECT_TRUE(IsBoardEmpty());
}

// MPI_Waitall on two messages, an allreduce, a synchronous send: it waits once, in stretches.
TEST_F(PendingWaitsTest, ACallThatCompletesSeveral) {
  const auto allreduce = static_cast<uint64_t>(CollectiveRole::kAllToAll);
  for (int32_t rank = 0; rank < 4; ++rank) {
    Note(rank, Step::kBegun, rank == 3 ? 170 : 20, allreduce, 1, event::kGivesBit | event::kGetsBit);
  }
  Note(2, Step::kSent, 10, 5, 1, event::kSynchronousStep);
  Note(2, Step::kArrived, 30, kChannel, 1);
  Note(2, Step::kArrived, 30, kChannel + 1, 1);
  Note(2, Step::kEnded, 0, allreduce, 1, event::kGivesBit | event::kGetsBit);
  Note(2, Step::kLeft, 0, 5, 1);
  Note(2, Step::kCall, 100, 300, 0);
  EXPECT_EQ(Waited(2, CollectiveRole::kAllToAll), 0u);
  Note(0, Step::kSent, 150, kChannel, 1);
  Note(1, Step::kSent, 190, kChannel + 1, 1);
  Note(3, Step::kReceived, 200, 5, 1);
  EXPECT_EQ(Waited(2, CollectiveRole::kLateSender), 50u + 20u);
  EXPECT_EQ(Waited(2, CollectiveRole::kAllToAll), 20u);
  EXPECT_EQ(Waited(2, CollectiveRole::kLateReceiver), 10u);
  EXPECT_EQ(At(2).times, 3u);
  for (const int32_t rank : {0, 1, 3}) {
    Note(rank, Step::kEnded, 0, allreduce, 1, event::kGivesBit | event::kGetsBit);
    Note(rank, Step::kTest, 0, 0, 0);
    EXPECT_EQ(Waited(rank, CollectiveRole::kAllToAll), 0u);
  }
  EXPECT_TRUE(IsBoardEmpty());
}

TEST_F(PendingWaitsTest, WhatCannotBeKnownIsCounted) {
  Call(1, CollectiveRole::kBarrier, 100, -1, true, true, 9);  // nobody knows the communicator
  EXPECT_EQ(At(1).unknown[kNode], 1u);
  Call(1, CollectiveRole::kBarrier, 100, -1, true, true, 8);  // two groups
  EXPECT_EQ(At(1).unknown[kNode], 2u);
  Call(1, CollectiveRole::kOneToAll, 100);
  EXPECT_EQ(At(1).unknown[kNode], 3u);
  Call(1, CollectiveRole::kNone, 100);
  Call(1, CollectiveRole::kBarrier, 100);
  Note(1, Step::kArrived, 30, kChannel, 1);
  Note(1, Step::kCall, 100, 300, 0);
  Note(1, Step::kArrived, 30, kChannel, 2);
  Note(1, Step::kTest, 100, 300, 0);
  EXPECT_EQ(At(1).unknown[kNode], 3u);
  At(1).pending.GiveUp();
  EXPECT_EQ(At(1).unknown[kNode], 5u);
  EXPECT_EQ(At(1).times, 0u);
  EXPECT_EQ(At(1).pending.size(), 0u);
  Note(1, Step::kArrived, 30, kChannel, 3);
  At(1).pending.Lose();
  Note(1, Step::kCall, 100, 300, 0);
  EXPECT_EQ(At(1).unknown[kNode], 6u);
}

// Senders on other machines never tell anything. A process that waits for other senders is not delayed by them.
TEST_F(PendingWaitsTest, WhatNobodyAnswersMakesRoomForTheRest) {
  constexpr uint32_t kMost = 1 << 16, kLost = 5 * kMost;
  for (uint32_t i = 1; i <= kLost; ++i) Note(1, Step::kReceived, 100, kChannel, i, 0, 5);
  EXPECT_GT(At(1).unknown[5], kLost - kMost - 1);
  EXPECT_LE(At(1).pending.size(), kMost);
  for (uint32_t i = 1; i <= 100; ++i) Note(1, Step::kReceived, 100, kChannel + 1, i);
  for (uint32_t i = 1; i <= 100; ++i) Note(0, Step::kSent, 130, kChannel + 1, i);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 3000u);
  EXPECT_EQ(At(1).unknown[kNode], 0u);
  At(1).pending.GiveUp();
  EXPECT_EQ(At(1).unknown[5], kLost);
}

TEST_F(PendingWaitsTest, EachNoteCostsAFewStepsHoweverManyNobodyAnswers) {
  constexpr uint32_t kNotes = 400'000;
  std::mt19937 random(2);
  uint32_t parts = 0, calls = 0;
  for (uint32_t i = 1; i <= kNotes; ++i) {
    switch (random() % 5) {
      case 0: Note(1, Step::kReceived, 100, kChannel, i); break;
      case 1:
        Note(1, Step::kReceived, 100, kChannel, i, event::kProbedStep, 5);
        Note(1, Step::kReceived, 100, kChannel, i, event::kAfterProbeStep, 6);
        break;
      case 2:
        Note(1, Step::kReceived, 100, kChannel, i, event::kProbedStep, 5);
        Note(1, Step::kArrived, 100, kChannel, i, event::kAfterProbeStep);
        ++parts;
        break;
      case 3:
        Note(1, Step::kArrived, 100, kChannel, i);
        ++parts;
        break;
      default:
        Note(1, Step::kCall, 100, 300, 0, 0, 8);
        calls += parts != 0;
        parts = 0;
    }
  }
  EXPECT_LT(At(1).pending.steps(), 20u * kNotes);
  EXPECT_EQ(At(1).times, 0u);
  At(1).pending.GiveUp();
  EXPECT_GE(At(1).unknown[8], calls);
}

// One call with more parts than there is room for: only this call is not known, and it takes no time.
TEST_F(PendingWaitsTest, ACallThatCompletesTooMany) {
  constexpr uint32_t kParts = 3 << 16;
  for (uint32_t i = 1; i <= kParts; ++i) Note(1, Step::kArrived, 100, kChannel, i);
  Note(1, Step::kCall, 100, 300, 0);
  EXPECT_EQ(At(1).unknown[kNode], 1u);
  EXPECT_LT(At(1).pending.steps(), 10u * kParts);
  Note(1, Step::kArrived, 100, kChannel + 1, 1);
  Note(1, Step::kCall, 100, 300, 0);
  Note(0, Step::kSent, 130, kChannel + 1, 1);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 30u);
}

// The notes of some parts are lost while the probe of another one is among them.
TEST_F(PendingWaitsTest, PartsThatAreLostLeaveNothingToTheNextCall) {
  Note(1, Step::kArrived, 10, kChannel, 1);
  Note(1, Step::kReceived, 20, kChannel, 2, event::kProbedStep, 5);
  Note(1, Step::kArrived, 20, kChannel, 2, event::kAfterProbeStep);
  At(1).pending.Lose();
  Note(1, Step::kCall, 100, 300, 0);
  EXPECT_EQ(At(1).unknown[kNode], 1u);
  EXPECT_EQ(At(1).unknown[5], 1u);
  Note(1, Step::kArrived, 10, kChannel, 3);
  Note(1, Step::kCall, 100, 300, 0);
  Note(0, Step::kSent, 130, kChannel, 3);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 30u);
}

// A filter excludes the call that posted the receive, so the sender cannot know when that was.
TEST_F(PendingWaitsTest, AReceiveWhosePostingIsNotKnown) {
  Note(0, Step::kSent, 100, kChannel, 1, event::kSynchronousStep | event::kGetsBit);
  Note(1, Step::kArrived, 160, kChannel, 1, event::kUntimedStep);
  Note(1, Step::kCall, 90, 300, 0);
  EXPECT_EQ(Waited(1, CollectiveRole::kLateSender), 10u);
  EXPECT_EQ(Waited(0, CollectiveRole::kLateReceiver), 0u);
  At(0).pending.GiveUp();
  EXPECT_EQ(At(0).unknown[kNode], 1u);
}

// Many barriers on two communicators and many messages; each process reads its own notes in its own order of time.
TEST_F(PendingWaitsTest, ManyAtOnceInAnyOrder) {
  constexpr uint32_t kCalls = 2000;
  std::mt19937 random(1);
  std::vector<std::vector<CollectiveEvent>> notes(kRanks);
  std::vector<uint64_t> barriers(kRanks), messages(kRanks);
  for (uint32_t i = 0; i < kCalls; ++i) {
    const uint32_t communicator = random() % 2 * 5;
    std::vector<uint64_t> entered(kRanks);
    for (uint64_t& at : entered) at = 1000 * uint64_t{i} + random() % 800;
    const uint64_t last = *std::max_element(entered.begin(), entered.end());
    for (uint32_t r = 0; r < kRanks; ++r) {
      notes[r].push_back({entered[r], entered[r] + 900, kNode, communicator, i + 1, 0});
      barriers[r] += last - entered[r];
    }
    const uint32_t from = random() % kRanks, to = random() % kRanks;
    const uint64_t sent = random() % 500, received = random() % 500;
    const uint64_t channel = 1 + from * kRanks + to;
    notes[from].push_back(
        {1000 * uint64_t{i} + sent, channel, kNode, 0, i, static_cast<uint32_t>(Step::kSent) | event::kStepBit});
    notes[to].push_back({1000 * uint64_t{i} + received, channel, kNode, 0, i,
                         static_cast<uint32_t>(Step::kReceived) | event::kStepBit});
    messages[to] += std::max(sent, received) - received;
  }
  std::vector<size_t> next(kRanks);
  for (bool any = true; any;) {
    any = false;
    for (uint32_t r = 0; r < kRanks; ++r) {
      const size_t until = std::min(notes[r].size(), next[r] + random() % 300);
      for (; next[r] < until; ++next[r]) At(static_cast<int32_t>(r)).pending.Take(notes[r][next[r]]);
      At(static_cast<int32_t>(r)).pending.Try();
      any = any || next[r] < notes[r].size();
    }
  }
  for (int32_t r = 0; r < static_cast<int32_t>(kRanks); ++r) {
    EXPECT_EQ(Waited(r, CollectiveRole::kBarrier), barriers[static_cast<size_t>(r)]);
    EXPECT_EQ(Waited(r, CollectiveRole::kLateSender), messages[static_cast<size_t>(r)]);
    EXPECT_TRUE(At(r).unknown.empty());
  }
  EXPECT_TRUE(IsBoardEmpty());
}

}  // namespace
}  // namespace epik::monitor
