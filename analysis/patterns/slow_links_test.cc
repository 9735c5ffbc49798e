// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/slow_links.h"

#include <gtest/gtest.h>

#include "analysis/replay/operations.h"

namespace epik::patterns {
namespace {

using replay::Arrival;
using replay::Call;
using replay::Message;

// Ranks with a thread each; the last ones are on a host of their own.
replay::World WorldOf(int ranks, int elsewhere = 0) {
  replay::World world;
  world.ranks = ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    replay::Process process;
    process.rank = rank;
    process.host = rank >= ranks - elsewhere;
    process.locations = {static_cast<uint32_t>(rank)};
    world.processes.push_back(process);
    world.locations.push_back({static_cast<uint32_t>(rank), 0, static_cast<uint32_t>(rank)});
  }
  world.Index();
  return world;
}

// A message that takes so long once it is sent and waited for. `late`: how long one of both came after the other.
void Send(SlowLinks* links, uint32_t from, uint32_t to, uint64_t bytes, int64_t ns, int64_t late = 0) {
  Message message;
  message.bytes = bytes;
  message.send.location = from;
  message.send.knows_begin = true;
  message.send.begun.enter = 1000 + std::max<int64_t>(late, 0);
  Call call;
  call.location = to;
  call.logged = true;
  call.enter = 1000 + std::max<int64_t>(-late, 0);
  message.receive.at = 1000 + std::abs(late) + ns;
  const Arrival arrival{&message, nullptr, replay::kNone, replay::kNone, 0};
  links->Arrived(call, {&arrival, 1});
}

TEST(SlowLinks, IsFoundWithWhatItCosts) {
  const replay::World world = WorldOf(4);
  SlowLinks links(&world);
  for (uint32_t from = 0; from < 4; ++from) {
    for (int i = 0; i < 20; ++i) {
      const bool slow = from == 1;
      Send(&links, from, (from + 1) % 4, 100'000, slow ? 1'000'000 : 100'000 + 1000 * i, i % 2 == 0 ? 70'000 : -90'000);
      Send(&links, from, (from + 1) % 4, 8, 2000);  // of this size it is as fast as the others
    }
  }
  const std::vector<findings::Link> found = links.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_EQ(found[0].to, 2);
  EXPECT_EQ(found[0].messages, 20u);
  EXPECT_EQ(found[0].bytes, 100'000u);
  EXPECT_NEAR(found[0].seconds, 1e-3, 0.1e-3);  // four steps for each power of two
  EXPECT_NEAR(found[0].usual_s, 0.11e-3, 0.015e-3);
  EXPECT_NEAR(found[0].lost_s, 20 * 0.89e-3, 20 * 0.11e-3);
}

TEST(SlowLinks, OfOtherHostsAreComparedWithEachOther) {
  const replay::World world = WorldOf(8, 4);
  SlowLinks links(&world);
  for (int i = 0; i < 20; ++i) {
    for (uint32_t rank = 0; rank < 8; ++rank) Send(&links, rank, (rank + 1) % 8, 1000, rank % 4 == 3 ? 50'000 : 1000);
  }
  EXPECT_TRUE(links.Find().empty());  // two links between the hosts: there is nothing to compare them with
}

TEST(SlowLinks, TooFewSayNothing) {
  const replay::World world = WorldOf(4);
  SlowLinks few(&world), pairs(&world);
  for (uint32_t from = 0; from < 4; ++from) {
    for (int i = 0; i < 5; ++i) Send(&few, from, (from + 1) % 4, 1000, from == 0 ? 90'000 : 1000);
  }
  for (int i = 0; i < 50; ++i) {
    Send(&pairs, 0, 1, 1000, 90'000);
    Send(&pairs, 1, 0, 1000, 1000);
  }
  EXPECT_TRUE(few.Find().empty());
  EXPECT_TRUE(pairs.Find().empty());
}

struct Sent {
  uint32_t from;
  int64_t at;
};

// A call from `enter` to `leave` that got these messages.
void Wait(SlowLinks* links, uint32_t to, int64_t enter, int64_t leave, const std::vector<Sent>& sent, Call call = {}) {
  std::vector<Message> messages(sent.size());
  std::vector<Arrival> arrivals;
  for (size_t m = 0; m < sent.size(); ++m) {
    messages[m].bytes = 1000;
    messages[m].send.location = sent[m].from;
    messages[m].send.knows_begin = true;
    messages[m].send.begun.enter = sent[m].at;
    messages[m].receive.at = leave;
    arrivals.push_back({&messages[m], nullptr, replay::kNone, replay::kNone, 0});
  }
  call.location = to;
  call.logged = true;
  call.enter = enter;
  links->Arrived(call, arrivals);
}

// Each rank of a ring waits for both neighbours at once; rank 2 for long.
void AllAround(SlowLinks* links, Call call = {}) {
  for (int i = 0; i < 20; ++i) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      Wait(links, rank, 1000, rank == 2 ? 90'000 : 2000, {{(rank + 3) % 4, 1000}, {(rank + 1) % 4, 900}}, call);
    }
  }
}

TEST(SlowLinks, OfMessagesThatComeTogetherEachMayBeToBlame) {
  const replay::World world = WorldOf(4);
  SlowLinks links(&world);
  AllAround(&links);
  const std::vector<findings::Link> found = links.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_EQ(found[0].or_from, std::vector<int>{3});
  EXPECT_EQ(found[0].to, 2);
  EXPECT_EQ(found[0].messages, 40u);
  EXPECT_EQ(found[0].bytes, 1000u);
  EXPECT_NEAR(found[0].lost_s, 20 * 88e-6, 20 * 10e-6);
}

TEST(SlowLinks, NotThoseThatAreFastInOtherCalls) {
  const replay::World world = WorldOf(4);
  SlowLinks links(&world);
  AllAround(&links);
  for (int i = 0; i < 20; ++i) Wait(&links, 2, 1000, 2000, {{3, 1000}});
  const std::vector<findings::Link> found = links.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_TRUE(found[0].or_from.empty());
  EXPECT_EQ(found[0].messages, 20u);
}

TEST(SlowLinks, WhoSendsLateIsNoSlowLink) {
  const replay::World world = WorldOf(4);
  SlowLinks links(&world);
  for (int i = 0; i < 20; ++i) {
    for (uint32_t rank = 0; rank < 4; ++rank) {  // rank 2's neighbour 3 comes late, and 1 sent long before
      const int64_t late = rank == 2 ? 100'000 : 0;
      Wait(&links, rank, 500, 2000 + late, {{(rank + 3) % 4, 1000}, {(rank + 1) % 4, 1000 + late}});
    }
  }
  EXPECT_TRUE(links.Find().empty());
}

TEST(SlowLinks, AWaitForTheFirstTellsOfEach) {
  const replay::World world = WorldOf(4);
  SlowLinks links(&world);
  Call some;
  some.operation = replay::OperationOf("MPI_Waitsome");
  for (int i = 0; i < 20; ++i) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      Wait(&links, rank, 1000, rank == 2 ? 90'000 : 2000, {{(rank + 3) % 4, 1000}}, some);
      Wait(&links, rank, 1000, 2000, {{(rank + 1) % 4, 1000}}, some);
    }
  }
  const std::vector<findings::Link> found = links.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_TRUE(found[0].or_from.empty());
}

TEST(SlowLinks, CallsThatMayWaitForSomethingElseAreLeftOut) {
  const replay::World world = WorldOf(4);
  SlowLinks small(&world), large(&world);
  Call call;
  call.most_sent = 4096;
  AllAround(&small, call);
  call.most_sent = 4097;
  AllAround(&large, call);
  EXPECT_EQ(small.Find().size(), 1u);
  EXPECT_TRUE(large.Find().empty());
}

}  // namespace
}  // namespace epik::patterns
