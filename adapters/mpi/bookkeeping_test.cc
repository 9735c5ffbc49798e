// SPDX-License-Identifier: BSD-3-Clause
// Scripts of events: requests, types, and what is logged of them. No MPI is called.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "adapters/mpi/cancelling.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/completing.h"
#include "adapters/mpi/fake_mpi.h"
#include "adapters/mpi/log.h"
#include "adapters/mpi/records.h"
#include "adapters/mpi/requests.h"
#include "adapters/mpi/sources.h"
#include "adapters/mpi/steps.h"
#include "adapters/mpi/test_process.h"
#include "adapters/mpi/types.h"
#include "runtime/event/collectives.h"

namespace epik::mpi {

namespace {

// A message that was received.
std::string Added(int bytes) {
  const std::string value = std::to_string(bytes);
  return "add " + std::to_string(event::kBytesReceivedMetric) + " 1 values: " + value + " from " + value + " to " +
         value;
}

void Finish(const Request& request, const MPI_Status& status, Outcome outcome) {
  ReceivedBytes received;
  CountCompletion(request, status, outcome, &received);
  received.Count();
}

TEST(Communicators, AreKeptByOpenRequests) {
  Script([] {
    FakeMpi::Make(7, {3, 1});
    Created(MPI_COMM_WORLD, 7);
    LogReceivePosted(0, {0, 5, 7}, 40);
    Forget(7);  // legal: the receive is still open
    Request request;
    ASSERT_TRUE(FindActive(40, &request));
    Finish(request, StatusOfMessage(0, 5, 12), Outcome::kGood);
    const Lines told = FakeMpi::Told();
    ASSERT_EQ(told.size(), 4u);
    EXPECT_EQ(told[0], "communicator 2 own 3 1");
    EXPECT_EQ(told[1], "ReceivePosted 3 5 2 " + std::to_string(request.number));
    EXPECT_EQ(told[2], "ReceiveEnd 3 5 2 12 " + std::to_string(request.number));
  });
}

// MPICH 3 gives one handle to all sends that are complete already.
TEST(Log, OneHandleOfManySends) {
  Script([] {
    const uint64_t first = LogSend(8, 2, 1, MPI_COMM_WORLD, true, false);
    TrackSend(first, 50);
    const uint64_t second = LogSend(8, 2, 1, MPI_COMM_WORLD, true, false);
    TrackSend(second, 50);
    Request request;
    ASSERT_TRUE(FindActive(50, &request));
    Finish(request, MPI_Status{}, Outcome::kGood);
    Finish(request, MPI_Status{}, Outcome::kGood);  // Waitall has the handle twice
    const auto line = [](const char* what, uint64_t number) { return what + std::to_string(number); };
    EXPECT_EQ(FakeMpi::Told(), (Lines{line("SendBegin 2 1 0 8 ", first), line("SendBegin 2 1 0 8 ", second),
                                      line("SendEnd ", first), line("SendEnd ", second)}));
  });
}

// One look at the clock is enough: all of them have ended when the call came back.
TEST(Log, EndsOfOneCallHaveOneTime) {
  Script([] {
    for (const uint64_t key : {50, 51, 52, 53}) TrackSend(LogSend(8, 2, 1, MPI_COMM_WORLD, true, false), key);
    Request requests[4];
    for (uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(FindActive(50 + i, &requests[i]));
    FakeMpi::times.clear();
    const uint64_t before = FakeMpi::now;
    {
      const OneTime one;
      for (const Request& request : {requests[0], requests[1], requests[2]}) Finish(request, {}, Outcome::kGood);
    }
    const uint64_t later = FakeMpi::now;
    Finish(requests[3], {}, Outcome::kGood);
    EXPECT_EQ(FakeMpi::times, (std::vector<uint64_t>{before + 1, before + 1, before + 1, later + 1}));
  });
}

TEST(Log, ASendBeginsWhenItsCallIsEntered) {
  Script([] {
    FakeMpi::times.clear();
    LogSend(8, 2, 1, MPI_COMM_WORLD, false, false, /*first=*/true);
    LogSend(8, 2, 1, MPI_COMM_WORLD, true, false, /*first=*/true);
    BeginTraced(12);
    EXPECT_EQ(FakeMpi::times, (std::vector<uint64_t>{0, 0, 0}));
  });
}

// MPICH 4 gives them a predefined handle.
TEST(Log, ASendThatIsCompleteAtOnceEndsInItsCall) {
  Script([] {
    const MPI_Request shared = 0x6c000001, own = static_cast<MPI_Request>(0xac000001u);
    const uint64_t number = LogSend(8, 2, 1, MPI_COMM_WORLD, true, false);
    TrackSend(number, RequestKey(shared));
    Request request;
    EXPECT_FALSE(FindActive(RequestKey(shared), &request));
    EXPECT_EQ(FakeMpi::Told(),
              (Lines{"SendBegin 2 1 0 8 " + std::to_string(number), "SendEnd " + std::to_string(number)}));
    EXPECT_EQ(RequestKey(own), 0xac000001u);
  });
}

TEST(Log, WhatIsAwaited) {
  Script([] {
    LogReceivePosted(0, {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD}, 60);
    LogReceivePosted(0, {MPI_PROC_NULL, 1, MPI_COMM_WORLD}, 61);
    Request request;
    EXPECT_FALSE(FindActive(61, &request)) << "of nobody";
    ASSERT_TRUE(FindActive(60, &request));
    const std::string number = std::to_string(request.number);
    Finish(request, StatusOfMessage(3, 9, 4), Outcome::kGood);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"ReceivePosted -1 -1 0 " + number, "ReceiveEnd 3 9 0 4 " + number, Added(4)}));
  });
}

// A trace is switched off while receives are open: they are counted in the order in which they were posted.
TEST(Log, OpenReceivesAreCountedFirst) {
  Script([] {
    RememberWhatCounts();
    Request first, taken;
    LogReceivePosted(0, {2, 5, MPI_COMM_WORLD}, 60);
    LogReceivePosted(0, {2, 5, MPI_COMM_WORLD}, 61);
    ASSERT_EQ(TakeActive(61, &taken), Found::kWhole) << "a call is about to complete it";
    FakeMpi::noted = kEpikCollects | kEpikSteps;
    const auto ends = [](const Request& request) {
      FakeMpi::Told();
      Finish(request, StatusOfMessage(2, 5, 4), Outcome::kGood);
      return FakeMpi::Told().front();
    };
    LogReceivePosted(0, {2, 5, MPI_COMM_WORLD}, 62, true);
    Request last;
    ASSERT_TRUE(FindActive(60, &first) && FindActive(62, &last));
    EXPECT_EQ(ends(first), "TurnSince 1");
    EXPECT_EQ(ends(last), "TurnSince 2");
    ReceivedBytes received;
    FakeMpi::Told();
    CountTaken(taken, StatusOfMessage(2, 5, 4), Outcome::kGood, &received);
    EXPECT_EQ(FakeMpi::Told().front(), "TurnSince 3") << "nobody had it";
  });
}

// MPI leaves the status of an earlier request, whose message may even have been cancelled.
TEST(Log, AReceiveWithoutAStatusHasWhatItAccepts) {
  Script([] {
    LogReceivePosted(0, {2, 5, MPI_COMM_WORLD, /*untold=*/true}, 60);
    LogReceivePosted(0, {2, MPI_ANY_TAG, MPI_COMM_WORLD, /*untold=*/true}, 61);
    MPI_Status stale = StatusOfMessage(3, 9, 4);
    stale.count_hi_and_cancelled = 1;
    Request known, unknown;
    ASSERT_TRUE(FindActive(60, &known) && FindActive(61, &unknown));
    FakeMpi::Told();
    Finish(known, stale, Outcome::kGood);
    Finish(unknown, stale, Outcome::kGood);
    const std::string none = Added(0);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"ReceiveEnd 2 5 0 0 " + std::to_string(known.number), none,
                                      "ReceiveEnd -1 -1 0 0 " + std::to_string(unknown.number), none}));
  });
}

TEST(Log, WhichMpichLeavesTheStatusOfAnEarlierRequest) {
  EXPECT_TRUE(LacksStatusOfBoth("MPICH Version:\t4.0.2\nMPICH Release date:\tThu"));
  EXPECT_FALSE(LacksStatusOfBoth("MPICH Version:      4.1.1"));
  EXPECT_FALSE(LacksStatusOfBoth("MPICH Version:      3.4"));
  EXPECT_FALSE(LacksStatusOfBoth("Intel(R) MPI Library 2021.4"));
}

// It was posted in a pause.
TEST(Log, TheEndOfAReceiveThatIsNotInTheTrace) {
  Script([] {
    FakeMpi::Make(7, {3, 1});
    Created(MPI_COMM_WORLD, 7);
    TrackUnlogged({0, 5, 7}, 40, false);
    TrackUnlogged({MPI_PROC_NULL, 5, 7}, 41, false);
    TrackReceives(42, 0, 6, 7);
    Started(kEpikCounts, 42);
    Request request, persistent;
    EXPECT_FALSE(FindActive(41, &persistent));
    ASSERT_TRUE(FindActive(40, &request) && FindActive(42, &persistent));
    FakeMpi::Told();
    const auto number = [](uint64_t behind) { return std::to_string(NewRequest() + behind); };
    const std::string first = number(1);
    Finish(request, StatusOfMessage(0, 5, 12), Outcome::kGood);
    const std::string second = number(1);
    Finish(persistent, StatusOfMessage(0, 6, 8), Outcome::kGood);
    EXPECT_EQ(FakeMpi::Told(),
              (Lines{"ReceiveEnd 3 5 2 12 " + first, Added(12), "ReceiveEnd 3 6 2 8 " + second, Added(8)}));
    BeginStart(false, 42);
    Started(kEpikCounts | kEpikTraces, 42);
    ASSERT_TRUE(FindActive(42, &persistent));
    EXPECT_FALSE(persistent.unlogged) << "this start is in the trace";
  });
}

// A send that the program started in a pause is no message that arrives.
TEST(Log, TheEndOfASendThatIsNotInTheTrace) {
  Script([] {
    FakeMpi::Make(7, {3, 1});
    Created(MPI_COMM_WORLD, 7);
    TrackSends(42, 8, 0, 6, 7);
    Started(kEpikCounts, 42);
    Request request;
    ASSERT_TRUE(FindActive(42, &request));
    FakeMpi::Told();
    Finish(request, StatusOfMessage(0, 6, 8), Outcome::kGood);
    EXPECT_EQ(FakeMpi::Told(), Lines{});
  });
}

TEST(Log, TheModeOfAPersistentSend) {
  Script([] {
    FakeMpi::Make(7, {3, 1});
    Created(MPI_COMM_WORLD, 7);
    TrackSends(42, 8, 0, 6, 7, SendMode::kSynchronous);
    TrackSends(43, 8, 0, 6, 7);
    FakeMpi::Told();
    const uint64_t before = NewRequest();
    const auto begin = [before](int start) { return "SendBegin 3 6 2 8 " + std::to_string(before + start); };
    BeginStart(false, 42);
    BeginStart(false, 43);
    BeginStart(false, 42);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"SendMode 1", begin(1), begin(2), "SendMode 1", begin(3)}));
  });
}

// It is no receive for the program.
TEST(Log, AMessageThatWasTooLong) {
  Script([] {
    LogReceivePosted(0, {3, 9, MPI_COMM_WORLD}, 60);
    Request request;
    ASSERT_TRUE(FindActive(60, &request));
    FakeMpi::Told();
    Finish(request, StatusOfMessage(3, 9, 4), Outcome::kTruncated);
    LogReceive(MPI_ERR_TRUNCATE, StatusOfMessage(3, 9, 4), MPI_COMM_WORLD, false);
    LogReceive(MPI_ERR_OTHER, StatusOfMessage(3, 9, 4), MPI_COMM_WORLD, false);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"Truncated", "ReceiveEnd 3 9 0 0 " + std::to_string(request.number), "Truncated",
                                      "Receive 3 9 0 0"}));
  });
}

TEST(Steps, ASendThatMpiRefusesIsNotCounted) {
  Script([] {
    FakeMpi::Make(7, {3, 1});
    Created(MPI_COMM_WORLD, 7);
    const Turn refused = BeginSent(0, 5, 7);
    NotSent();
    NotSent();  // of a send that was not counted
    const Turn next = BeginSent(0, 5, 7);
    EXPECT_TRUE(next.is_certain);
    EXPECT_EQ(next.channel, refused.channel);
    EXPECT_EQ(next.sequence, refused.sequence);
  });
}

// A part may be marked anywhere; the message goes with the last one.
TEST(Log, APartitionedSendIsReadyWithItsLastPart) {
  Script([] {
    constexpr int kTraces = kEpikCounts | kEpikTraces;
    TrackPartedSends(42, 4, 48, 2, 6, MPI_COMM_WORLD);
    for (int start = 0; start < 2; ++start) {
      const std::string number = std::to_string(NewRequest() + 1);
      BeginStart(false, 42);
      Started(kTraces, 42);
      EXPECT_EQ(FakeMpi::Told(), (Lines{"SendMode 4", "SendBegin 2 6 0 48 " + number}));
      MarkReady(kTraces, 42, 2);
      MarkReady(kEpikCounts, 42, 1);
      EXPECT_EQ(FakeMpi::Told(), Lines{});
      MarkReady(kTraces, 42, 1);
      EXPECT_EQ(FakeMpi::Told(), Lines{"SendReady " + number});
    }
    MarkReady(kTraces, 43, 1);  // of nobody
    EXPECT_EQ(FakeMpi::Told(), Lines{});
  });
}

TEST(Log, ASendThatMpiRefusesIsTakenBack) {
  Script([] {
    const std::string send = "Send 2 1 0 12";
    SendFailed(BeginSend(3, MPI_INT, 2, 1, MPI_COMM_WORLD, false, false));
    EXPECT_EQ(FakeMpi::Told(), (Lines{send, "SendRefused 0"}));
    const Begun later = BeginSend(3, MPI_INT, 2, 1, MPI_COMM_WORLD, true, false);
    SendFailed(later);
    const std::string number = std::to_string(later.request);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"SendBegin 2 1 0 12 " + number, "SendRefused " + number}));
    SendFailed(BeginSend(3, MPI_INT, 77, 1, MPI_COMM_WORLD, false, false));
    SendFailed(BeginSend(3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, false, false));
    EXPECT_EQ(FakeMpi::Told(), Lines{}) << "not logged before the call";
  });
}

TEST(Log, AStartThatMpiRefusesIsTakenBack) {
  Script([] {
    TrackSends(42, 8, 2, 6, MPI_COMM_WORLD);
    TrackReceives(43, 2, 6, MPI_COMM_WORLD);
    const uint64_t before = NewRequest();
    for (const uint64_t key : {42u, 43u, 44u}) {
      BeginStart(false, key);
      StartFailed(key);
      StartFailed(key);
    }
    const std::string send = std::to_string(before + 1), receive = std::to_string(before + 2);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"SendBegin 2 6 0 8 " + send, "SendRefused " + send,
                                      "ReceivePosted 2 6 0 " + receive, "RequestCancelled " + receive}));
  });
}

TEST(Log, APersistentCollectiveTellsItsSourcesAtEachStart) {
  Script([] {
    const int counts[] = {1, 0, 2, 0};
    TrackCollective(5, 70, {8, 12}, MPI_COMM_WORLD, MPI_UNDEFINED);
    KeepSources(70, counts, MPI_COMM_WORLD);
    FakeMpi::Told();
    for (int start = 0; start < 2; ++start) {
      BeginStart(false, 70);
      Request request;
      ASSERT_TRUE(Activate(70, true, &request));
      const std::string number = std::to_string(request.number);
      EXPECT_EQ(FakeMpi::Told(), (Lines{"CollectiveBegin 5 " + number, "CollectivePeers 0 2 2 " + number,
                                        "CollectivePosted 5 0 -1 8 12 " + number}));
      Finish(request, MPI_Status{}, Outcome::kGood);
      FakeMpi::Told();
    }
  });
}

// Processes may start them in different orders, also among operations that block.
TEST(Log, PersistentOperationsTellTheirInitAndTheirStart) {
  Script([] {
    constexpr int kCollects = kEpikCounts | kEpikCollects;
    FakeMpi::Make(100, {1, 3});
    CreatedByMembers(100, 5);
    TrackCollective(5, 70, {8, 12}, MPI_COMM_WORLD, MPI_UNDEFINED);
    TrackCollective(6, 71, MPI_COMM_WORLD);
    TrackCollective(6, 72, MPI_COMM_WORLD);
    TrackCollective(6, 73, 100);
    FakeMpi::Told();
    Lines told;
    const auto start = [&told](uint64_t key, int wanted) {
      BeginStart(false, key);
      Started(wanted, key);
      Request request;
      ASSERT_TRUE(FindActive(key, &request));
      FakeMpi::Told();
      Finish(request, MPI_Status{}, Outcome::kGood);
      for (const std::string& line : FakeMpi::Told()) {
        if (line.starts_with("Turn")) told.push_back(line);
      }
    };
    start(72, kEpikCounts | kEpikTraces);
    start(70, kEpikCounts | kEpikTraces);
    start(72, kEpikCounts);  // in a pause: it has no records
    EndCollective({12, 0, 8, 16, kCollects}, MPI_SUCCESS, MPI_COMM_WORLD, 2);
    EXPECT_EQ(FakeMpi::Told(), Lines{"collective 0 1 root 2 gives gets"});
    start(72, kEpikCounts | kEpikTraces);
    start(73, kEpikCounts | kEpikTraces);
    const auto turn = [](uint64_t init, uint64_t start) { return "Turn " + std::to_string(init << 32 | start); };
    EXPECT_EQ(told, (Lines{turn(3, 1), turn(1, 1), turn(3, 3), turn(1, 1)}));
  });
}

// All processes of a communicator count the same calls, also one that pauses or whose call failed.
TEST(Log, CollectivesForMonitorsAreNumberedOnTheirCommunicator) {
  Script([] {
    constexpr int kCollects = kEpikCounts | kEpikCollects;
    FakeMpi::Make(100, {1, 3});
    CreatedByMembers(100, 5);
    EndCollective({12, 0, 8, 16, kCollects}, MPI_SUCCESS, MPI_COMM_WORLD, 2);
    EndCollective({13, 0, 0, 0, kCollects}, MPI_SUCCESS, 100, MPI_UNDEFINED);
    EndCollective({12, 0, 0, 0, kEpikCollects}, MPI_SUCCESS, MPI_COMM_WORLD, MPI_UNDEFINED);  // pauses
    EndCollective({12, 0, 8, 0, kCollects}, MPI_ERR_OTHER, MPI_COMM_WORLD, 2);
    EndCollective({12, 0, 8, 0, kEpikCounts | kEpikTraces}, MPI_SUCCESS, MPI_COMM_WORLD, 2);  // in the trace alone
    EndCollective({12, 0, 8, 0, kCollects | kEpikTraces}, MPI_SUCCESS, MPI_COMM_WORLD, 2);
    EndCollective({13, 0, 0, 0, kCollects}, MPI_SUCCESS, 100, 0);
    EndCollective({13, 0, 0, 0, kCollects}, MPI_SUCCESS, MPI_COMM_SELF, MPI_UNDEFINED);  // no process to wait for
    EXPECT_EQ(FakeMpi::Told(),
              (Lines{"collective 0 1 root 2 gives gets", "communicator 2 own 1 3", "collective 2 1 root -1",
                     "CollectiveEnd 12 0 2 8 0 0", "CollectiveEnd 12 0 2 8 0 0", "collective 0 4 root 2 gives",
                     "collective 2 2 root 1"}));
  });
}

// Readers learn of an operation that failed: it counts in no profile, and may have waited for nobody.
TEST(Log, OperationsThatFailed) {
  Script([] {
    constexpr int kTraces = kEpikCounts | kEpikTraces;
    EndCollective({12, 0, 8, 16, kTraces}, MPI_SUCCESS, MPI_COMM_WORLD, 2);
    EndCollective({12, 0, 0, 0, kTraces}, MPI_ERR_OTHER, MPI_COMM_WORLD, 2);
    const Request request = {.number = 7, .out = 8, .in = 16, .peer = 2, .operation = 12, .kind = Kind::kOperation};
    LogEnd(request, MPI_Status{}, Outcome::kFailed);
    LogEnd(request, MPI_Status{}, Outcome::kGood);
    EXPECT_EQ(FakeMpi::Told(),
              (Lines{"CollectiveEnd 12 0 2 8 16 0", "CollectiveFailed", "CollectiveEnd 12 0 2 0 0 0",
                     "CollectiveFailed", "CollectiveEnd 12 0 2 8 16 7", "CollectiveEnd 12 0 2 8 16 7"}));
  });
}

// Blocking ones and those that end later are counted together.
TEST(Log, MonitorsReadThatAnOperationHasBegun) {
  Script([] {
    constexpr int kCollects = kEpikCounts | kEpikCollects;
    EndCollectiveLater({12, 0, 8, 16, kCollects}, 70, MPI_COMM_WORLD, 2);
    EndCollectiveLater({12, 0, 8, 16, kEpikCollects}, 71, MPI_COMM_WORLD, 2);  // pauses, and counts it
    EndCollective({12, 0, 8, 16, kCollects}, MPI_SUCCESS, MPI_COMM_WORLD, 2);
    TrackCollective(5, 72, {8, 12}, MPI_COMM_WORLD, MPI_UNDEFINED);
    TrackReceives(73, 0, 6, MPI_COMM_WORLD);
    Started(kCollects, 72);
    Started(kCollects, 73);
    EndCollectiveLater({12, 0, 8, 16, kCollects}, 74, MPI_COMM_SELF, 0);  // no process to wait for
    Request request;
    for (const uint64_t key : {70u, 71u, 74u}) EXPECT_FALSE(FindActive(key, &request)) << "nothing follows its end";
    ASSERT_TRUE(FindActive(72, &request));
    EXPECT_FALSE(request.followed.on);
    Lines begun;
    for (const std::string& line : FakeMpi::Told()) {
      if (line.starts_with("begun") || line.starts_with("collective ")) begun.push_back(line);
    }
    EXPECT_EQ(begun, (Lines{"begun 0 1", "begun 0 2", "collective 0 3 root 2 gives gets",
                            "begun 0 " + std::to_string(event::kFirstPersistent | (0x9e3779b1u + 1))}));
  });
}

TEST(Log, CollectivesThatDoNotBlock) {
  Script([] {
    const uint64_t one = BeginCollective(12), two = BeginCollective(13);
    EndCollectiveLater({12, one, 8, 16, kEpikCounts | kEpikTraces}, 70, MPI_COMM_WORLD, 2);
    EndCollectiveLater({13, two, 0, 0, kEpikCounts | kEpikTraces}, 71, MPI_COMM_WORLD, MPI_UNDEFINED);
    Request request;
    ASSERT_TRUE(FindActive(71, &request));
    Finish(request, MPI_Status{}, Outcome::kGood);  // ends first
    ASSERT_TRUE(FindActive(70, &request));
    Finish(request, MPI_Status{}, Outcome::kGood);
    const std::string a = std::to_string(one), b = std::to_string(two);
    EXPECT_EQ(FakeMpi::Told(), (Lines{"CollectiveBegin 12 " + a, "CollectiveBegin 13 " + b,
                                      "CollectivePosted 12 0 2 8 16 " + a, "CollectivePosted 13 0 -1 0 0 " + b,
                                      "CollectiveEnd 13 0 -1 0 0 " + b, "CollectiveEnd 12 0 2 8 16 " + a}));
  });
}

// So many sends, the first of which the program cancels, and whether MPI does so.
Lines ToldOfTheFirst(uint64_t sends, bool cancels) {
  Routine routine = {.symbol = "MPI_Isend", .name = "MPI_Isend", .group = {}};
  constexpr uint64_t kFirst = 3000;
  for (uint64_t i = 0; i < sends; ++i) {
    Call call(routine, &routine);
    call.bytes = 100 + i;
    call.place = 200 + i;
    call.peer = 2;
    NoteSend(call, kFirst + i);
  }
  Cancelling(kFirst);
  Request request;
  EXPECT_TRUE(FindActive(kFirst, &request));
  MPI_Status status = {};
  status.count_hi_and_cancelled = cancels ? 1 : 0;
  Finish(request, status, Outcome::kGood);
  EXPECT_FALSE(FindActive(kFirst, &request));
  return FakeMpi::Told();
}

TEST(Cancelling, TheLatestSendsAreTakenBack) {
  Script([] {
    EXPECT_EQ(ToldOfTheFirst(1024, false), Lines{});
    EXPECT_EQ(ToldOfTheFirst(1024, true), Lines{"unsent 200 100 2"});
  });
}

TEST(Cancelling, OtherRequestsStayWhatTheyAre) {
  Script([] {
    Remember({.key = 9, .kind = Kind::kReceives, .active = false});
    Cancelling(9);
    Request request;
    EXPECT_FALSE(FindActive(9, &request));
    ASSERT_TRUE(Activate(9, true, &request));
    EXPECT_EQ(request.kind, Kind::kReceives);
  });
}

TEST(Cancelling, ANoteTellsOfAnOlderOneOnce) {
  Script([] {
    EXPECT_EQ(ToldOfTheFirst(1025, false), Lines{}) << "MPI sends it all the same";
    EXPECT_EQ(ToldOfTheFirst(1025, true),
              Lines{"a send that was cancelled counts as sent: EPIK knows the latest 1024 sends of a process"});
    EXPECT_EQ(ToldOfTheFirst(1025, true), Lines{});
  });
}

TEST(Types, AskedOnceAndKnownForAWhileAfterTheyAreFreed) {
  Script([] {
    constexpr MPI_Datatype kDerived = static_cast<MPI_Datatype>(0x8c000010);
    uint64_t size = 0;
    EXPECT_FALSE(SizeOf(kDerived, &size)) << "before a call: may be no type";
    EXPECT_EQ(FakeMpi::complaints, 5) << "the pair types, which this world does not have";
    EXPECT_EQ(SizeOf(MPI_DOUBLE), 8u);
    EXPECT_EQ(SizeOf(MPI_DATATYPE_NULL), 0u);
    FakeMpi::MakeType(kDerived, 24);
    CommittedType(kDerived);
    FreedType(kDerived);
    FakeMpi::FreeType(kDerived);
    EXPECT_EQ(SizeOf(kDerived), 24u) << "another thread has freed it meanwhile";
    FakeMpi::MakeType(kDerived, 40);
    CommittedType(kDerived);
    EXPECT_EQ(SizeOf(kDerived), 40u) << "the handle came again";
    for (int i = 0; i < 100'000; ++i) {
      const MPI_Datatype type = kDerived + 1 + i;
      FakeMpi::MakeType(type, 4);
      CommittedType(type);
      FreedType(type);
      FakeMpi::FreeType(type);
    }
    EXPECT_FALSE(FindSize(kDerived + 1, &size)) << "not for ever";
    EXPECT_TRUE(FindSize(kDerived, &size)) << "not freed";
    EXPECT_EQ(FakeMpi::complaints, 5);
  });
}

}  // namespace
}  // namespace epik::mpi
