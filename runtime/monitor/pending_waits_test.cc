// SPDX-License-Identifier: BSD-3-Clause
// Calls of one process and parts of others, in any order, against what each must have waited.
#include "runtime/monitor/pending_waits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace epik::episode {
namespace {

using event::AboutCollective;
using event::CollectiveEvent;
using event::CollectiveRole;

struct Told : WaitSink {
  void Waited(uint32_t node, uint64_t ticks) override {
    waited[node] += ticks;
    ++times[node];
  }
  void Unknown(uint32_t node) override { ++unknown[node]; }
  std::map<uint32_t, uint64_t> waited, times, unknown;
};

// A job of four; this process is rank 1.
class PendingWaitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(base::Arena::Create(nullptr, 1u << 20), 0);
    event::Process()->rank = 1;
    pending_ = PendingWaits::Make(64);
  }
  void TearDown() override {
    pending_->Destroy();
    base::Arena::Destroy();
  }

  // A call from 100 to 200 at call path 7.
  void Own(CollectiveRole role, int32_t root = -1, bool gives = true, bool gets = true) {
    pending_->Begin(number_, {100, 200, 7, 0, static_cast<uint32_t>(number_ + 1), AboutCollective(root, gives, gets)},
                    role, world_, &told_);
    ++number_;
    pending_->Index();
  }
  void Other(int32_t rank, uint64_t entered, bool gives = true) {
    uint64_t guess = 0;
    const CollectiveEvent part = {entered, 200, 9, 0, static_cast<uint32_t>(number_), AboutCollective(-1, gives, true)};
    pending_->Meet(0, part, rank, rank, &guess, &told_);
  }
  uint64_t Waited() { return told_.waited[7]; }

  Membership world_ = {0, 0, 1, 4, false, true};
  PendingWaits* pending_ = nullptr;
  Told told_;
  uint64_t number_ = 0;
};

TEST_F(PendingWaitsTest, AtABarrierForTheLast) {
  Own(CollectiveRole::kBarrier);
  Other(0, 150);
  Other(3, 120, false);  // a barrier has no data
  EXPECT_EQ(told_.times[7], 0u);
  EXPECT_EQ(pending_->unsettled(), 1u);
  Other(2, 90);
  EXPECT_EQ(Waited(), 50u);
  EXPECT_EQ(told_.times[7], 1u);
  EXPECT_EQ(pending_->unsettled(), 0u);
}

TEST_F(PendingWaitsTest, TheLastDoesNotWait) {
  Own(CollectiveRole::kBarrier);
  for (const int32_t rank : {0, 2, 3}) Other(rank, 100);
  EXPECT_EQ(told_.times[7] + told_.unknown[7], 0u);
}

TEST_F(PendingWaitsTest, NotLongerThanTheCall) {
  Own(CollectiveRole::kBarrier);
  for (const int32_t rank : {0, 2, 3}) Other(rank, 500);
  EXPECT_EQ(Waited(), 100u);
}

TEST_F(PendingWaitsTest, WhereAllNeedAllOnlyForThoseThatGive) {
  Own(CollectiveRole::kAllToAll);
  Other(0, 150, false);
  Other(2, 130);
  Other(3, 120);
  EXPECT_EQ(Waited(), 30u);
  Own(CollectiveRole::kAllToAll, -1, true, false);  // gets nothing
  EXPECT_EQ(pending_->unsettled(), 0u);
  Own(CollectiveRole::kAllToAll);
  for (const int32_t rank : {0, 2, 3}) Other(rank, 150, false);
  EXPECT_EQ(Waited(), 30u);
}

TEST_F(PendingWaitsTest, ForARootThatIsLate) {
  Own(CollectiveRole::kOneToAll, 2);
  Other(0, 190);
  Other(2, 140);
  EXPECT_EQ(Waited(), 40u);
  Own(CollectiveRole::kOneToAll, 1);  // the root itself
  EXPECT_EQ(pending_->unsettled(), 0u);
}

TEST_F(PendingWaitsTest, ARootThatGathersForTheFirst) {
  Own(CollectiveRole::kAllToOne, 1);
  Other(0, 150);
  Other(2, 130);
  Other(3, 110, false);
  EXPECT_EQ(Waited(), 30u);
  Own(CollectiveRole::kAllToOne, 0);
  EXPECT_EQ(pending_->unsettled(), 0u);
}

TEST_F(PendingWaitsTest, InAScanForThoseBefore) {
  Own(CollectiveRole::kScan);
  Other(3, 190);
  Other(0, 120);
  EXPECT_EQ(Waited(), 20u);
}

TEST_F(PendingWaitsTest, WhatCannotBeKnownIsCounted) {
  world_.whole = false;
  Own(CollectiveRole::kBarrier);
  EXPECT_EQ(told_.unknown[7], 1u);
  world_.whole = true;
  world_.is_inter = true;
  Own(CollectiveRole::kBarrier);
  EXPECT_EQ(told_.unknown[7], 2u);
  world_.is_inter = false;
  Own(CollectiveRole::kOneToAll, -1);
  EXPECT_EQ(told_.unknown[7], 3u);
  Own(CollectiveRole::kNone);
  for (int i = 0; i < 65; ++i) Own(CollectiveRole::kBarrier);
  EXPECT_EQ(told_.unknown[7], 4u);  // one was overwritten
  pending_->GiveUp(&told_);
  EXPECT_EQ(told_.unknown[7], 68u);
  EXPECT_EQ(pending_->unsettled(), 0u);
  EXPECT_EQ(told_.times[7], 0u);
}

// Many barriers on two communicators, the parts of others in an order of their own.
TEST_F(PendingWaitsTest, ManyAtOnceInAnyOrder) {
  pending_->Destroy();
  constexpr uint32_t kCalls = 4000;
  pending_ = PendingWaits::Make(8192);
  std::mt19937 random(1);
  uint64_t expected = 0;
  struct Part {
    uint32_t communicator;
    int32_t rank;
    CollectiveEvent event;
  };
  std::vector<Part> parts;
  for (uint32_t i = 0; i < kCalls; ++i) {
    const uint32_t communicator = random() % 2 * 5, sequence = i + 1;
    const uint64_t at = 1000 * uint64_t{i};
    pending_->Begin(i, {at, at + 900, 7, communicator, sequence, 0}, CollectiveRole::kBarrier, world_, &told_);
    uint64_t last = at;
    for (const int32_t rank : {0, 2, 3}) {
      const uint64_t entered = at - std::min<uint64_t>(at, 50) + random() % 800;
      last = std::max(last, entered);
      parts.push_back({communicator, rank, {entered, at + 900, 1, communicator, sequence, 0}});
    }
    expected += last - at;
  }
  pending_->Index();
  std::shuffle(parts.begin(), parts.end(), random);
  uint64_t guess = 0;
  for (const Part& part : parts) pending_->Meet(part.communicator, part.event, part.rank, part.rank, &guess, &told_);
  EXPECT_EQ(Waited(), expected);
  EXPECT_EQ(pending_->unsettled(), 0u);
  EXPECT_TRUE(told_.unknown.empty());
}

}  // namespace
}  // namespace epik::episode
