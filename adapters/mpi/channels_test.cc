// SPDX-License-Identifier: BSD-3-Clause
// Tests turns against MPI's rule: a message goes to the first posted receive that accepts it, and the messages of a
// channel go in their order. No MPI is called.
#include "adapters/mpi/channels.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <vector>

#include "adapters/mpi/freed.h"
#include "adapters/mpi/log.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/records.h"
#include "adapters/mpi/test_process.h"

namespace epik::mpi {

namespace {

Comm CommOfId(uint64_t id) {
  Comm comm;
  comm.id = id;
  return comm;
}

bool Is(const Turn& turn, const Turn& other) {
  return turn.is_certain && other.is_certain && turn.channel == other.channel && turn.sequence == other.sequence;
}

TEST(Channels, ASendToOneselfIsItsReceive) {
  Script([] {
    const Comm comm = CommOfId(5), other = CommOfId(6);
    const Turn first = SentOn(&comm, 1, 3), second = SentOn(&comm, 1, 3);
    EXPECT_FALSE(Is(first, second));
    EXPECT_NE(SentOn(&other, 1, 3).channel, first.channel);
    EXPECT_NE(SentOn(&comm, 1, 4).channel, first.channel);
    EXPECT_EQ(ChannelFrom(&comm, 1, 3), first.channel);
    EXPECT_TRUE(Is(Arrived(Posted(&comm, 1, 3), &comm, 1, 3), first));
    EXPECT_TRUE(Is(Arrived(Posted(&comm, 1, 3), &comm, 1, 3), second));
    EXPECT_FALSE(SentOn(nullptr, 1, 3).is_certain);
    EXPECT_FALSE(SentOn(&comm, -1, 3).is_certain);
  });
}

TEST(Channels, ReceivesOfOneChannelHaveTheirTurnsInTheOrderOfPosting) {
  Script([] {
    const Comm comm = CommOfId(5);
    const PostedReceive first = Posted(&comm, 1, 3), second = Posted(&comm, 1, 3);
    const Turn sent = SentOn(&comm, 1, 3), next = SentOn(&comm, 1, 3);
    EXPECT_TRUE(Is(Arrived(second, &comm, 1, 3), next));
    EXPECT_TRUE(Is(Arrived(first, &comm, 1, 3), sent));
  });
}

TEST(Channels, AWildcardBeforeMakesItUncertainUntilItHasItsMessage) {
  Script([] {
    const Comm comm = CommOfId(5);
    const PostedReceive any = Posted(&comm, -1, 3), early = Posted(&comm, 1, 3), other = Posted(&comm, 1, 4);
    const PostedReceive late = Posted(&comm, 1, 3);
    EXPECT_TRUE(Is(Arrived(other, &comm, 1, 4), SentOn(&comm, 1, 4)));  // of another tag
    EXPECT_FALSE(Arrived(early, &comm, 1, 3).is_certain);
    const Turn first = SentOn(&comm, 1, 3);
    SentOn(&comm, 1, 3);  // of `early`
    const Turn third = SentOn(&comm, 1, 3), fourth = SentOn(&comm, 1, 3);
    EXPECT_TRUE(Is(Arrived(any, &comm, 1, 3), first));
    EXPECT_TRUE(Is(Arrived(late, &comm, 1, 3), third));
    EXPECT_TRUE(Is(Arrived(Posted(&comm, 1, 3), &comm, 1, 3), fourth));
  });
}

TEST(Channels, WhatIsCancelledHasNoTurn) {
  Script([] {
    const Comm comm = CommOfId(5);
    const PostedReceive any = Posted(&comm, -1, -1), one = Posted(&comm, 1, 3);
    Unposted(any);
    const Turn first = SentOn(&comm, 1, 3), second = SentOn(&comm, 1, 3);
    EXPECT_TRUE(Is(Arrived(one, &comm, 1, 3), first));
    const PostedReceive last = Posted(&comm, 1, 3);
    Unposted(last);
    const PostedReceive again = Posted(&comm, 1, 3), then = Posted(&comm, 1, 3);
    Unposted(again);  // in the midst of others
    const PostedReceive later = Posted(&comm, 1, 3);
    EXPECT_TRUE(Is(Arrived(then, &comm, 1, 3), second));
    EXPECT_TRUE(Is(Arrived(later, &comm, 1, 3), SentOn(&comm, 1, 3)));
    Unsent(SentOn(&comm, 1, 9));
    EXPECT_TRUE(Is(Arrived(Posted(&comm, 1, 9), &comm, 1, 9), SentOn(&comm, 1, 9)));
    const Turn lost = SentOn(&comm, 1, 9);
    SentOn(&comm, 1, 9);
    Unsent(lost);  // its receiver may already know the next message by its turn
    EXPECT_FALSE(SentOn(&comm, 1, 9).is_certain);
    EXPECT_TRUE(SentOn(&comm, 1, 3).is_certain);
    Unsent({});  // of any channel
    EXPECT_FALSE(SentOn(&comm, 1, 3).is_certain);
  });
}

TEST(Channels, WhatIsFreedHasItsTurn) {
  Script([] {
    const Comm comm = CommOfId(5);
    for (const int before : {0, 1, 1100}) {
      std::vector<PostedReceive> open;
      for (int i = 0; i < before; ++i) open.push_back(Posted(&comm, -1, 3));
      const PostedReceive freed = Posted(&comm, 1, 3);
      Freed(freed, &comm, 1, 3);
      for (const PostedReceive& any : open) {
        SentOn(&comm, 1, 3);
        Arrived(any, &comm, 1, 3);
      }
      SentOn(&comm, 1, 3);  // of `freed`
      EXPECT_TRUE(Is(Arrived(Posted(&comm, -1, 3), &comm, 1, 3), SentOn(&comm, 1, 3))) << before;
    }
  });
}

// Pretends to be MPI for kept requests: each receive gets a message with tag 3 from process 1.
bool has_come = false;
int freed_by_mpi = 0, questions = 0;
void KnowRequests() {
  pmpi.Send_init = [](const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request* made) {
    return *made = 9, MPI_SUCCESS;
  };
  pmpi.Request_get_status = [](MPI_Request, int* flag, MPI_Status* status) {
    ++questions;
    *flag = has_come ? 1 : 0;
    *status = StatusOfMessage(1, 3, 4);
    return MPI_SUCCESS;
  };
  pmpi.Request_free = [](MPI_Request*) { return ++freed_by_mpi, MPI_SUCCESS; };
}

// The program frees a receive from any process. Returns whether EPIK kept its request.
bool FreeAny(Comm* comm) {
  const PostedReceive posted = Posted(comm, -1, 3);
  Request request = {.key = 7, .comm = Keep(comm), .peer = -1, .tag = 3};
  request.followed = {.turn = posted.turn, .ticket = posted.ticket, .on = true};
  MPI_Request other;
  if (!MayKeep(request, &other)) return false;
  KeepFreed(7, request);
  return true;
}

TEST(Channels, MpiTellsWhichMessageAFreedReceiveGets) {
  Script([] {
    KnowRequests();
    Comm* comm = FindRanked(MPI_COMM_WORLD);
    EXPECT_TRUE(FreeAny(comm));
    LookAtFreed();
    EXPECT_EQ(questions, 1);
    const PostedReceive behind = Posted(comm, 1, 3);
    EXPECT_EQ(freed_by_mpi, 0);
    has_come = true;
    LookAtFreed();
    EXPECT_EQ(freed_by_mpi, 1);
    SentOn(comm, 1, 3);  // of the one that was freed
    EXPECT_TRUE(Is(Arrived(behind, comm, 1, 3), SentOn(comm, 1, 3)));
    EXPECT_TRUE(Is(Arrived(Posted(comm, 1, 3), comm, 1, 3), SentOn(comm, 1, 3)));
    has_come = false;
    for (int i = 0; i < 256; ++i) EXPECT_TRUE(FreeAny(comm));
    EXPECT_FALSE(FreeAny(comm));
    ReleaseKept();
    EXPECT_EQ(freed_by_mpi, 257);
  });
}

// Posts a receive from this source with this tag and frees it. Returns its number.
std::string PostAndFree(int source, int tag) {
  MPI_Request handle = 7;
  LogReceivePosted(0, {source, tag, MPI_COMM_WORLD}, RequestKey(handle));
  Request request;
  EXPECT_TRUE(FindActive(RequestKey(handle), &request));
  FakeMpi::Told();
  Freeing freed(&handle);
  freed.Done(MPI_SUCCESS);
  return std::to_string(request.number);
}

TEST(Freed, ATraceHasTheMessageWhenItIsKnown) {
  Script([] {
    KnowRequests();
    const std::string number = PostAndFree(MPI_ANY_SOURCE, 3);
    EXPECT_EQ(FakeMpi::Told(), Lines{"RequestFreed " + number});
    LogReceive(MPI_SUCCESS, StatusOfMessage(2, 3, 4), MPI_COMM_WORLD, false);
    EXPECT_EQ(FakeMpi::Told(), Lines{"Receive 2 3 0 4"});
    has_come = true;
    LogReceive(MPI_SUCCESS, StatusOfMessage(2, 3, 4), MPI_COMM_WORLD, false);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"FreedReceived 1 3 0 " + number, "Receive 2 3 0 4"}));
    EXPECT_EQ(freed_by_mpi, 1);
    has_come = false;
    const std::string last = PostAndFree(1, MPI_ANY_TAG);
    ReleaseKept();
    EXPECT_EQ(FakeMpi::Told(), (Lines{"RequestFreed " + last, "FreedReceived -1 -1 0 " + last}));
    const std::string known = PostAndFree(1, 3);
    EXPECT_EQ(FakeMpi::Told(), Lines{"RequestFreed " + known}) << "the trace tells which message it gets";
  });
}

TEST(Freed, ATraceSaysThatItIsNotKnown) {
  Script([] {
    KnowRequests();
    pmpi.Send_init = [](const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; };
    const std::string number = PostAndFree(MPI_ANY_SOURCE, 3);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"RequestFreed " + number, "FreedReceived -1 -1 0 " + number}));
  });
}

TEST(Channels, OfTooManyCancelledReceivesTheOrderIsForgotten) {
  Script([] {
    const Comm comm = CommOfId(5);
    const auto cancel = [&](int tag, int times) {
      for (int i = 0; i < times; ++i) {
        const PostedReceive one = Posted(&comm, 1, tag), next = Posted(&comm, 1, tag);
        Unposted(one);
        EXPECT_TRUE(Is(Arrived(next, &comm, 1, tag), SentOn(&comm, 1, tag)));
      }
    };
    const PostedReceive other = Posted(&comm, 1, 4), one = Posted(&comm, 1, 3);
    Posted(&comm, 1, 3);
    const Turn first = SentOn(&comm, 1, 3);
    SentOn(&comm, 1, 3);
    cancel(3, 256);
    EXPECT_TRUE(Is(Arrived(one, &comm, 1, 3), first));
    cancel(3, 1);
    EXPECT_FALSE(Arrived(one, &comm, 1, 3).is_certain);
    EXPECT_TRUE(Is(Arrived(other, &comm, 1, 4), SentOn(&comm, 1, 4)));  // of another tag
  });
}

// With more open receives than there are places, no message is certain. Later messages are certain again.
TEST(Channels, TooManyOpenReceivesAreForgottenOnceTheyAreOver) {
  Script([] {
    const Comm comm = CommOfId(5);
    for (const size_t count : {1024, 1025, 1500}) {
      std::vector<PostedReceive> open;
      std::vector<Turn> sent;
      for (size_t i = 0; i < count; ++i) open.push_back(Posted(&comm, i % 2 == 0 ? -1 : 1, i % 3 == 0 ? 4 : -1));
      for (size_t i = 0; i < count; ++i) sent.push_back(SentOn(&comm, 1, 4));
      size_t certain = 0;
      for (size_t i = 0; i < count; ++i) {
        const Turn turn = Arrived(open[i], &comm, 1, 4);
        EXPECT_TRUE(!turn.is_certain || Is(turn, sent[i])) << count << ": " << i;
        certain += turn.is_certain ? 1 : 0;
      }
      EXPECT_EQ(certain, count <= 1024 ? count : 0) << count;
      const Turn next = SentOn(&comm, 1, 4);
      EXPECT_TRUE(Is(Arrived(Posted(&comm, -1, -1), &comm, 1, 4), next)) << count;
    }
    std::vector<PostedReceive> open;
    for (size_t i = 0; i < 1100; ++i) open.push_back(Posted(&comm, -1, -1));
    for (const PostedReceive& posted : open) Unposted(posted);
    const Turn next = SentOn(&comm, 1, 4);
    EXPECT_TRUE(Is(Arrived(Posted(&comm, 1, 4), &comm, 1, 4), next));
  });
}

TEST(Channels, ReceivesWithoutAPlaceLeaveOtherMessagesCertain) {
  Script([] {
    const Comm comm = CommOfId(5), other = CommOfId(6);
    const PostedReceive last = Posted(&comm, -1, 9), behind = Posted(&comm, 1, 9);  // open until the end
    std::vector<PostedReceive> open;
    for (size_t i = 0; i < 1500; ++i) open.push_back(Posted(&comm, -1, 4));
    EXPECT_TRUE(Is(Arrived(Posted(&comm, 1, 3), &comm, 1, 3), SentOn(&comm, 1, 3)));
    EXPECT_TRUE(Is(Arrived(Posted(&other, 1, 4), &other, 1, 4), SentOn(&other, 1, 4)));
    SentOn(&comm, 1, 4);
    EXPECT_FALSE(Arrived(open[0], &comm, 1, 4).is_certain);
    for (size_t i = 1; i < open.size(); ++i) {
      SentOn(&comm, 1, 4);
      Arrived(open[i], &comm, 1, 4);
    }
    EXPECT_TRUE(Is(Arrived(Posted(&comm, -1, 4), &comm, 1, 4), SentOn(&comm, 1, 4)));
    EXPECT_TRUE(Is(Arrived(last, &comm, 1, 9), SentOn(&comm, 1, 9)));
    EXPECT_TRUE(Is(Arrived(behind, &comm, 1, 9), SentOn(&comm, 1, 9)));
  });
}

// A receive that stays open keeps its place. The places of those behind it are used again.
TEST(Channels, AReceiveThatStaysOpenDoesNotUseUpThePlaces) {
  Script([] {
    const Comm comm = CommOfId(5);
    const PostedReceive last = Posted(&comm, -1, 9), behind = Posted(&comm, 1, 9);
    for (int i = 0; i < 5000; ++i) {
      const PostedReceive any = Posted(&comm, -1, 4);
      ASSERT_TRUE(Is(Arrived(any, &comm, 1, 4), SentOn(&comm, 1, 4))) << i;
    }
    EXPECT_TRUE(Is(Arrived(last, &comm, 1, 9), SentOn(&comm, 1, 9)));
    EXPECT_TRUE(Is(Arrived(behind, &comm, 1, 9), SentOn(&comm, 1, 9)));
  });
}

TEST(Channels, RankZeroAndTagZeroAreNoWildcards) {
  Script([] {
    const Comm comm = CommOfId(5);
    Posted(&comm, 0, -1);
    Posted(&comm, -1, 0);
    EXPECT_TRUE(Arrived(Posted(&comm, 1, 3), &comm, 1, 3).is_certain);
    EXPECT_FALSE(Arrived(Posted(&comm, 0, 3), &comm, 0, 3).is_certain);
    EXPECT_FALSE(Arrived(Posted(&comm, 1, 0), &comm, 1, 0).is_certain);
    const Comm other = CommOfId(6);
    Posted(&other, -1, 3);
    Posted(&other, 3, -1);
    EXPECT_TRUE(Arrived(Posted(&other, 0, 0), &other, 0, 0).is_certain);
  });
}

// Receives without a place make only messages uncertain that they accept. With more than 16 kinds of such receives, no
// message is certain until they are over.
TEST(Channels, OfReceivesWithoutAPlaceSixteenKindsAreToldApart) {
  Script([] {
    const Comm comm = CommOfId(5);
    const auto is_certain = [&](int from, int tag) {
      return Arrived(Posted(&comm, from, tag), &comm, from, tag).is_certain;
    };
    std::vector<PostedReceive> open, without;
    for (int i = 0; i < 1024; ++i) open.push_back(Posted(&comm, -1, 1000));
    const auto post = [&](int tag) { without.push_back(Posted(&comm, -1, tag)); };
    for (int tag = 1; tag <= 14; ++tag) post(tag);
    post(14);                         // the same kind
    EXPECT_FALSE(is_certain(1, 14));  // of another kind, the 15th
    post(16);
    EXPECT_TRUE(is_certain(1, 999));
    post(17);
    EXPECT_FALSE(is_certain(1, 999));
    for (const PostedReceive& posted : open) Unposted(posted);
    for (const PostedReceive& posted : without) Unposted(posted);
    EXPECT_TRUE(is_certain(1, 999));
    EXPECT_TRUE(is_certain(1, 17));
  });
}

TEST(Channels, MessagesOfChannelsBeyondTheMostAreUncertain) {
  Script([] {
    const Comm comm = CommOfId(5);
    constexpr int kMost = 1 << 18;
    EXPECT_TRUE(SentOn(&comm, 1, 0).is_certain);
    int certain = 0;
    for (int tag = 0; tag < kMost; ++tag) certain += SentOn(&comm, 1, tag).is_certain ? 1 : 0;
    EXPECT_EQ(certain, kMost);
    EXPECT_FALSE(SentOn(&comm, 1, kMost).is_certain);
    EXPECT_TRUE(SentOn(&comm, 1, kMost - 1).is_certain);
  });
}

// Random sends of this process to itself and receives, some with wildcards: whenever a turn is certain, it is that of
// the message that MPI gives.
TEST(Channels, CertainTurnsAreThoseOfMpi) {
  Script([] {
    struct Receive {
      PostedReceive posted;
      int tag;
      int got = -1;  // place in `sent`
    };
    const Comm comm = CommOfId(5);
    std::mt19937 random(3);
    std::vector<std::pair<int, Turn>> sent;  // tag
    std::deque<size_t> unexpected;
    std::vector<Receive> open;
    int certain = 0, uncertain = 0;
    for (int step = 0; step < 20'000; ++step) {
      const int tag = static_cast<int>(random() % 3);
      if (random() % 2 == 0) {
        sent.emplace_back(tag, SentOn(&comm, 1, tag));
        const size_t message = sent.size() - 1;
        auto taker = open.begin();
        while (taker != open.end() && (taker->got >= 0 || (taker->tag >= 0 && taker->tag != tag))) ++taker;
        taker != open.end() ? static_cast<void>(taker->got = static_cast<int>(message)) : unexpected.push_back(message);
      } else if (open.size() < 20) {
        Receive receive;
        receive.tag = random() % 4 == 0 ? -1 : tag;
        receive.posted = Posted(&comm, random() % 3 == 0 ? -1 : 1, receive.tag);
        auto message = unexpected.begin();
        while (message != unexpected.end() && receive.tag >= 0 && sent[*message].first != receive.tag) ++message;
        if (message != unexpected.end()) {
          receive.got = static_cast<int>(*message);
          unexpected.erase(message);
        }
        open.push_back(receive);
      }
      // Receives end in another order than the program posted them in, each after its message has come. The program may
      // cancel a receive that has no message yet.
      if (open.empty() || random() % 2 == 0) continue;
      const size_t place = random() % 4 == 0 ? random() % open.size() : 0;
      if (open[place].got < 0) {
        if (random() % 8 != 0) continue;
        Unposted(open[place].posted);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
        continue;
      }
      const auto& [its_tag, its_turn] = sent[static_cast<size_t>(open[place].got)];
      const Turn turn = Arrived(open[place].posted, &comm, 1, its_tag);
      EXPECT_TRUE(!turn.is_certain || Is(turn, its_turn));
      ++(turn.is_certain ? certain : uncertain);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    }
    EXPECT_GT(certain, 2000);
    EXPECT_GT(uncertain, 10);
  });
}

}  // namespace
}  // namespace epik::mpi
