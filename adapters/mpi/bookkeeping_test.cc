// SPDX-License-Identifier: BSD-3-Clause
// Scripts of events: requests, communicators, windows, types, and what is logged of them. No MPI is called.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <random>
#include <thread>

#include "adapters/mpi/cancelling.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/completing.h"
#include "adapters/mpi/fake_mpi.h"
#include "adapters/mpi/hash_table.h"
#include "adapters/mpi/log.h"
#include "adapters/mpi/records.h"
#include "adapters/mpi/requests.h"
#include "adapters/mpi/sources.h"
#include "adapters/mpi/types.h"
#include "adapters/mpi/windows.h"

namespace epik::mpi {

const uint64_t request_tests = 0;  // generated with the wrappers
__thread const void* outermost = nullptr;
void Prepare(Routine* /*routine*/) {}

namespace {

using Lines = std::vector<std::string>;

// Each test in processes of its own, for the adapter's state is that of a process: `script` runs as this rank, and what
// it returns comes back.
std::string RunAs(int rank, int size, const std::function<std::string()>& script) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    FakeMpi::Start(rank, size);
    KnowComms();
    KnowTypes();
    FakeMpi::Told();
    const std::string text = script();
    [[maybe_unused]] const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : "failed: " + text;
}

void Script(const std::function<void()>& script) {
  EXPECT_EQ(RunAs(1, 4, [&] { return script(), std::string("done"); }), "done");
}

MPI_Status StatusOfMessage(int source, int tag, int bytes) {
  MPI_Status status = {};
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  status.count_lo = bytes;
  return status;
}

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

TEST(HashTable, IsLikeAMap) {
  struct Entry {
    uint64_t key = 0;
    uint64_t value = 0;
  };
  HashTable<Entry> table;
  std::map<uint64_t, uint64_t> slow;
  std::mt19937_64 random(7);
  for (uint64_t i = 1; i < 200'000; ++i) {
    const uint64_t key = 1 + random() % 3000 * 64;  // like addresses
    if (random() % 3 != 0) {
      table.Add(key)->value = i;
      slow[key] = i;
    } else if (Entry* entry = table.Find(key)) {
      ASSERT_EQ(slow.count(key), 1u);
      table.Remove(entry);
      slow.erase(key);
    } else {
      ASSERT_EQ(slow.count(key), 0u);
    }
  }
  for (const auto& [key, value] : slow) ASSERT_EQ(table.Find(key)->value, value);
}

TEST(Requests, AHandleThatComesAgainIsAnotherRequest) {
  Script([] {
    EXPECT_FALSE(Remember({.key = 5, .number = 1}));
    Request first, now;
    ASSERT_TRUE(FindActive(5, &first));
    Request before;
    EXPECT_TRUE(Remember({.key = 5, .number = 2}, &before));
    EXPECT_EQ(before.number, 1u);
    EXPECT_FALSE(Complete(first)) << "a newer one has its place";
    ASSERT_TRUE(FindActive(5, &now));
    EXPECT_EQ(now.number, 2u);
    EXPECT_TRUE(Complete(now));
    EXPECT_FALSE(Complete(now)) << "twice";
    EXPECT_FALSE(FindActive(5, &now));
    EXPECT_FALSE(Remember({.key = 0})) << "no request";
    EXPECT_FALSE(FindActive(0, &now));
  });
}

TEST(Requests, ThoseOfACallThatWaitsForAllAreTakenAtOnce) {
  Script([] {
    UseOneTable();
    Request request;
    EXPECT_FALSE(TakeActive(5, &request));
    Remember({.key = 5, .number = 1});
    Remember({.key = 6, .number = 2});
    Remember({.key = 7, .kind = Kind::kReceives, .active = false});
    UseOneTable();
    ASSERT_TRUE(TakeActive(5, &request));
    EXPECT_EQ(request.number, 1u);
    EXPECT_FALSE(TakeActive(5, &request)) << "twice";
    PutBack(request);
    ASSERT_TRUE(TakeActive(5, &request)) << "the call came back, and it was pending";
    Remember({.key = 5, .number = 3});
    PutBack(request);
    ASSERT_TRUE(TakeActive(5, &request));
    EXPECT_EQ(request.number, 3u) << "a new request has the handle";
    EXPECT_FALSE(TakeActive(7, &request)) << "not started";
    ASSERT_TRUE(Activate(7, true, &request));
    ASSERT_TRUE(TakeActive(7, &request));
    EXPECT_TRUE(Complete(request)) << "a persistent one stays in the table";
    ASSERT_TRUE(TakeActive(6, &request));
    EXPECT_FALSE(TakeActive(0, &request));
  });
}

TEST(Requests, ReceivesThatAreOnlyCounted) {
  Script([] {
    Request request, before;
    RememberReceive(0);
    for (uint64_t key = 1; key <= 1000; ++key) RememberReceive(key);
    for (uint64_t key = 1; key <= 1000; key += 2) {
      ASSERT_TRUE(TakeActive(key, &request));
      ASSERT_EQ(request.key, key);
      ASSERT_EQ(request.kind, Kind::kReceive);
      ASSERT_EQ(request.number, 0u);
      ASSERT_EQ(request.comm, nullptr);
      ASSERT_FALSE(TakeActive(key, &request)) << "twice";
      PutBack(request);
      ASSERT_TRUE(FindActive(key, &request)) << "the call came back, and it was pending";
    }
    EXPECT_TRUE(Remember({.key = 4, .number = 9}, &before)) << "a new request has the handle";
    EXPECT_EQ(before.number, 0u);
    ASSERT_TRUE(FindActive(4, &request));
    EXPECT_EQ(request.number, 9u);
    RememberReceive(4);
    EXPECT_FALSE(Complete(request)) << "again";
    ASSERT_TRUE(FindActive(4, &request));
    EXPECT_EQ(request.number, 0u);
    EXPECT_TRUE(Complete(request));
    Followed followed;
    followed.ticket = 3;
    Follow(6, followed, Kind::kSends);
    ASSERT_TRUE(Forget(6, &request));
    EXPECT_EQ(request.kind, Kind::kReceive) << "it was known";
    EXPECT_EQ(request.followed.ticket, 3u);
    EXPECT_FALSE(Forget(6, &request));
  });
}

// A program that breaks its promise must not break the table.
TEST(Requests, ASecondThreadMayComeUnannounced) {
  Script([] {
    UseOneTable();
    RememberReceive(1);
    Request request;
    std::thread([&] {
      EXPECT_TRUE(TakeActive(1, &request));
      RememberReceive(2);
    }).join();
    EXPECT_TRUE(TakeActive(2, &request));
    constexpr int kThreads = 4, kRounds = 5'000;
    std::vector<std::thread> threads;
    std::vector<int> wrong(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t, &wrong] {
        const uint64_t key = 64 * (t + 1);
        for (int i = 0; i < kRounds; ++i) {
          Request taken;
          RememberReceive(key);
          wrong[t] += !TakeActive(key, &taken) || taken.key != key || TakeActive(key, &taken);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(kThreads));
  });
}

TEST(Completing, MessagesOfACallCountTogether) {
  Script([] {
    MPI_Request requests[9] = {};
    MPI_Status statuses[9] = {};
    for (int i = 0; i < 9; ++i) {
      requests[i] = i + 1;
      statuses[i] = StatusOfMessage(0, 1, 10 * i);
      if (i != 4) RememberReceive(RequestKey(requests[i]));
    }
    Completing completing(9, requests, statuses, Which::kAll);
    completing.All(MPI_SUCCESS);
    EXPECT_EQ(FakeMpi::Told(),
              Lines{"add " + std::to_string(event::kBytesReceivedMetric) + " 8 values: 320 from 0 to 80"});
    Request request;
    EXPECT_FALSE(FindActive(RequestKey(requests[0]), &request));
  });
}

TEST(Requests, PersistentOnesRest) {
  Script([] {
    Remember({.key = 9, .kind = Kind::kReceives, .active = false});
    Request request;
    EXPECT_FALSE(FindActive(9, &request)) << "not started";
    for (uint64_t start = 1; start <= 3; ++start) {
      ASSERT_TRUE(SetNumber(9, start, &request));
      ASSERT_TRUE(Activate(9, true, &request));
      ASSERT_TRUE(FindActive(9, &request));
      EXPECT_EQ(request.number, start);
      EXPECT_TRUE(Complete(request));
      EXPECT_FALSE(FindActive(9, &request));
    }
    ASSERT_TRUE(Activate(9, false, &request));
    EXPECT_EQ(request.number, 0u) << "this time it is not logged";
    EXPECT_TRUE(Forget(9, &request));
    EXPECT_FALSE(Activate(9, true, &request));
  });
}

TEST(Requests, ThreadsDoNotMixThemUp) {
  Script([] {
    constexpr int kThreads = 4, kRounds = 2'000, kOpen = 16;
    std::vector<std::thread> threads;
    std::vector<int> wrong(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t, &wrong] {
        for (int i = 0; i < kRounds; ++i) {
          const auto key = [&](int k) { return static_cast<uint64_t>((t * kOpen + k + 1) * 128); };
          for (int k = 0; k < kOpen; ++k) Remember({.key = key(k), .number = NewRequest()});
          for (int k = 0; k < kOpen; ++k) {
            Request request;
            wrong[t] += !FindActive(key(k), &request) || !Complete(request) || FindActive(key(k), &request);
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(kThreads));
  });
}

TEST(Requests, NumbersAreUnique) {
  Script([] {
    std::vector<std::vector<uint64_t>> mine(3);
    std::vector<std::thread> threads;
    for (auto& numbers : mine) {
      threads.emplace_back([&numbers] {
        for (int i = 0; i < 10'000; ++i) numbers.push_back(NewRequest());
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::map<uint64_t, int> all;
    for (const auto& numbers : mine) {
      for (const uint64_t number : numbers) ++all[number];
    }
    EXPECT_EQ(all.size(), 30'000u);
    EXPECT_EQ(all.count(0), 0u);
  });
}

// The same script in all processes of a job: what is told must be the same there, whatever the handles are.
std::string Identities(int rank, int size) {
  return RunAs(rank, size, [=] {
    std::string text;
    const auto say = [&](MPI_Comm handle) {
      const uint32_t number = NumberOf(Find(handle), handle);
      text += std::to_string(FakeMpi::identities[number]) + " ";
    };
    const MPI_Comm first = 100 + rank, halves = 200 + rank, again = first;  // handles are each process's own
    Ranks all, half;
    for (int i = 0; i < size; ++i) all.push_back(i);
    for (int i = rank % 2; i < size; i += 2) half.push_back(i);
    FakeMpi::Make(first, all);
    Created(MPI_COMM_WORLD, first);
    say(first);
    FakeMpi::Make(halves, half);
    Created(first, halves);
    say(halves);
    Created(halves, MPI_COMM_NULL);  // a split into which this process did not go
    Forget(first);
    FakeMpi::Make(again, all);
    Created(MPI_COMM_WORLD, again);  // the handle comes again
    say(again);
    const MPI_Comm copy = 300 + rank;
    FakeMpi::Make(copy, half);
    CreatedCopy(halves, copy);
    say(copy);
    const MPI_Comm by_members = 400 + rank;
    FakeMpi::Make(by_members, half);
    CreatedByMembers(by_members, 3);
    say(by_members);
    Forget(by_members);
    FakeMpi::Make(by_members, half);
    CreatedByMembers(by_members, 3);
    say(by_members);
    return text;
  });
}

TEST(Communicators, AllProcessesAgreeUponIdentities) {
  const std::string even = Identities(0, 5), odd = Identities(1, 5);
  EXPECT_EQ(Identities(2, 5), even);
  EXPECT_EQ(Identities(4, 5), even);
  EXPECT_EQ(Identities(3, 5), odd);
  const auto words = [](const std::string& text) {
    std::vector<std::string> list;
    for (size_t at = 0, end = 0; (end = text.find(' ', at)) != std::string::npos; at = end + 1) {
      list.push_back(text.substr(at, end - at));
    }
    return list;
  };
  const auto a = words(even), b = words(odd);
  ASSERT_EQ(a.size(), 6u);
  ASSERT_EQ(b.size(), 6u);
  std::map<std::string, int> different;
  for (const auto& list : {a, b}) {
    for (const std::string& id : list) ++different[id];
  }
  EXPECT_EQ(a[0], b[0]) << "of all";
  EXPECT_EQ(a[2], b[2]);
  EXPECT_EQ(different.size(), 10u) << "halves, copies and freed ones are others";
}

TEST(Communicators, RanksAreThoseOfTheWorld) {
  Script([] {
    FakeMpi::Make(7, {3, 1});
    Created(MPI_COMM_WORLD, 7);
    EXPECT_EQ(WorldRank(0, 7), 3);
    EXPECT_EQ(WorldRank(1, 7), 1);
    EXPECT_EQ(WorldRank(2, 7), -1);
    EXPECT_EQ(WorldRank(MPI_PROC_NULL, 7), -1);
    EXPECT_EQ(WorldRank(2, MPI_COMM_WORLD), 2);
    FakeMpi::Make(8, {1, 0}, {2, 3});
    CreatedByMembers(8, 1);
    EXPECT_EQ(WorldRank(0, 8), 2) << "of the other side";
    NumberOf(Find(8), 8);
    EXPECT_EQ(FakeMpi::Told(), Lines{"communicator 2 own 1 0 remote 2 3"});
    EXPECT_EQ(FindKnown(4711), nullptr);
    EXPECT_EQ(Find(MPI_COMM_NULL), nullptr);
  });
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

TEST(Windows, AreCreationsOnTheirCommunicator) {
  Script([] {
    FakeMpi::Make(7, {3, 1, 0});
    Created(MPI_COMM_WORLD, 7);
    CreatedWindow(7, 20);
    Forget(7);  // it may be freed before its window
    EXPECT_EQ(NumberOfWindow(20), 1u);
    EXPECT_EQ(WorldRankIn(2, 20), 0);
    LogSync(4, MPI_Win{20}, 0);
    LogLock(4, 20, 2, true);
    LogLock(4, 20);
    LogLastWindowCall(6, 20);
    ForgetWindow(20);
    EXPECT_EQ(NumberOfWindow(20), 0u) << "not known any more";
    CreatedWindow(MPI_COMM_WORLD, 20);
    EXPECT_EQ(NumberOfWindow(20), 2u) << "the handle came again";
    EXPECT_EQ(FakeMpi::Told(),
              (Lines{"communicator 2 own 3 1 0", "window 1 2", "WindowSync 4 1 3", "WindowLock 4 1 0 1",
                     "WindowLock 4 1 -1 0", "CollectiveCall 6 2", "window 2 0"}));
    EXPECT_NE(FakeMpi::identities[1'000'001], FakeMpi::identities[1'000'002]);
  });
}

// MPICH gives one handle to all sends that are complete already.
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
    Started(false, false, 42);
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
    Started(true, false, 42);
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
    Started(false, false, 42);
    Request request;
    ASSERT_TRUE(FindActive(42, &request));
    FakeMpi::Told();
    Finish(request, StatusOfMessage(0, 6, 8), Outcome::kGood);
    EXPECT_EQ(FakeMpi::Told(), Lines{});
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
    EndCollective({13, 0, 0, 0, kCollects}, MPI_SUCCESS, MPI_COMM_SELF, MPI_UNDEFINED);  // nobody to wait for
    EXPECT_EQ(FakeMpi::Told(),
              (Lines{"collective 0 1 root 2 gives gets", "communicator 2 own 1 3", "collective 2 1 root -1",
                     "CollectiveEnd 12 0 2 8 0 0", "CollectiveEnd 12 0 2 8 0 0", "collective 0 4 root 2 gives",
                     "collective 2 2 root 1"}));
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
