// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/slow_links.h"

#include <gtest/gtest.h>

#include "analysis/replay/operations.h"

namespace epik::patterns {
namespace {

using replay::Arrival;
using replay::Call;
using replay::Message;

// Ranks with one thread each. The last `elsewhere` ranks are on a host of their own.
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

// A message that takes `ns` after it has been sent and is waited for. `late`: the time between the sender's and the
// receiver's begin.
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
      Send(&links, from, (from + 1) % 4, 8, 2000);  // messages of this size are as fast as those of other links
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
  EXPECT_TRUE(links.Find().empty());  // two links between the hosts: there is no other link to compare them with
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

// A call from `enter` to `leave` that gets these messages.
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

// Each rank of a ring waits for both neighbours at once; rank 2 waits long.
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

// Each rank of a ring gets 1 000 bytes from the one before it. It sends 1 000 and `large` bytes to both neighbours.
void WithLarge(SlowLinks* links, uint32_t slow, int64_t their_enter) {
  for (int i = 0; i < 20; ++i) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      const uint32_t last = (rank + 3) % 4;
      Call call;
      call.most_sent = 100'000;
      Wait(links, rank, 1000, rank == slow ? 90'000 : 2000, {{last, 1000}}, call);
      Message large;
      large.bytes = 100'000;
      large.send.location = rank;
      large.send.begun.enter = 900;
      large.receive.location = last;
      large.received_by.enter = rank == slow ? their_enter : 1000;
      call.location = rank;
      call.logged = true;
      call.enter = 1000;
      const Message* const sent[] = {&large};
      links->Sent(call, sent);
    }
  }
}

TEST(SlowLinks, ALargeMessageThatACallSentMayBeLateAsWell) {
  const replay::World world = WorldOf(4);
  SlowLinks both(&world), one(&world), late(&world);
  WithLarge(&both, 2, 1000);
  std::vector<findings::Link> found = both.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_EQ(found[0].to, 2);
  EXPECT_TRUE(found[0].or_back);
  WithLarge(&one, 2, 1000);
  for (int i = 0; i < 20; ++i) Send(&one, 2, 1, 100'000, 1000);  // the link is fast there
  found = one.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_FALSE(found[0].or_back);
  WithLarge(&late, 2, 89'000);  // the receiver of the large message comes late
  EXPECT_TRUE(late.Find().empty());
}

// Rank 2 finds the message of rank 1 at `at`, and asked in vain at `in_vain`.
void Polls(SlowLinks* links, int64_t in_vain, int64_t at, const char* function = "MPI_Test") {
  for (int i = 0; i < 20; ++i) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      Message message;
      message.bytes = 1000;
      message.send.location = (rank + 3) % 4;
      message.send.knows_begin = true;
      message.send.begun.enter = 1000;
      message.receive.at = rank == 2 ? at : 3000;
      Call call;
      call.location = rank;
      call.logged = true;
      call.enter = message.receive.at - 100;
      call.in_vain = rank == 2 ? in_vain : 2000;
      call.operation = replay::OperationOf(function);
      const Arrival arrival{&message, nullptr, replay::kNone, replay::kNone, 0};
      links->Polled(call, {&arrival, 1});
    }
  }
}

TEST(SlowLinks, OfMessagesThatAreAskedForOnlyThoseThatWereAskedForInVain) {
  const replay::World world = WorldOf(4);
  for (const char* function : {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome"}) {
    SlowLinks slow(&world), idle(&world), unknown(&world);
    Polls(&slow, 89'000, 90'000, function);
    ASSERT_EQ(slow.Find().size(), 1u) << function;
    EXPECT_EQ(slow.Find()[0].from, 1);
    EXPECT_NEAR(slow.Find()[0].seconds, 88e-6, 10e-6);
    Polls(&idle, 1500, 90'000, function);  // the rank did other work between both tests
    EXPECT_TRUE(idle.Find().empty());
    Polls(&unknown, INT64_MIN, 90'000, function);
    EXPECT_TRUE(unknown.Find().empty());
  }
}

}  // namespace
}  // namespace epik::patterns
