// SPDX-License-Identifier: BSD-3-Clause
// Scripts of requests, which begin, complete and are forgotten.
#include "adapters/mpi/requests.h"

#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "adapters/mpi/completing.h"
#include "adapters/mpi/hash_table.h"
#include "adapters/mpi/test_process.h"

namespace epik::mpi {
namespace {

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
    EXPECT_EQ(TakeActive(5, &request), Found::kNone);
    Remember({.key = 5, .number = 1});
    Remember({.key = 6, .number = 2});
    Remember({.key = 7, .kind = Kind::kReceives, .active = false});
    UseOneTable();
    ASSERT_EQ(TakeActive(5, &request), Found::kWhole);
    EXPECT_EQ(request.number, 1u);
    EXPECT_EQ(TakeActive(5, &request), Found::kNone) << "twice";
    PutBack(request, Found::kWhole);
    ASSERT_EQ(TakeActive(5, &request), Found::kWhole) << "the call came back, and it was pending";
    Remember({.key = 5, .number = 3});
    PutBack(request, Found::kWhole);
    ASSERT_EQ(TakeActive(5, &request), Found::kWhole);
    EXPECT_EQ(request.number, 3u) << "a new request has the handle";
    EXPECT_EQ(TakeActive(7, &request), Found::kNone) << "not started";
    ASSERT_TRUE(Activate(7, true, &request));
    ASSERT_EQ(TakeActive(7, &request), Found::kWhole);
    EXPECT_TRUE(Complete(request)) << "a persistent one stays in the table";
    ASSERT_EQ(TakeActive(6, &request), Found::kWhole);
    EXPECT_EQ(TakeActive(0, &request), Found::kNone);
  });
}

TEST(Requests, ReceivesThatAreOnlyCounted) {
  Script([] {
    Request request, before;
    RememberReceive(0);
    for (uint64_t key = 1; key <= 1000; ++key) RememberReceive(key);
    for (uint64_t key = 1; key <= 1000; key += 2) {
      ASSERT_EQ(TakeActive(key, &request), Found::kCounted);
      ASSERT_EQ(request.key, key);
      ASSERT_EQ(TakeActive(key, &request), Found::kNone) << "twice";
      PutBack(request, Found::kCounted);
      ASSERT_EQ(LookUp(key, &request), Found::kCounted) << "the call came back, and it was pending";
      request.number = 7;
      request.kind = Kind::kFile;
      ASSERT_TRUE(FindActive(key, &request));
      ASSERT_EQ(request.key, key);
      ASSERT_EQ(request.kind, Kind::kReceive);
      ASSERT_EQ(request.number, 0u);
      ASSERT_EQ(request.comm, nullptr);
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

TEST(Requests, ASecondThreadMayComeUnannounced) {
  Script([] {
    UseOneTable();
    RememberReceive(1);
    Request request;
    std::thread([&] {
      EXPECT_EQ(TakeActive(1, &request), Found::kCounted);
      RememberReceive(2);
    }).join();
    EXPECT_EQ(TakeActive(2, &request), Found::kCounted);
    constexpr int kThreads = 4, kRounds = 5'000;
    std::vector<std::thread> threads;
    std::vector<int> wrong(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t, &wrong] {
        const uint64_t key = 64 * (t + 1);
        for (int i = 0; i < kRounds; ++i) {
          Request taken;
          RememberReceive(key);
          wrong[t] +=
              TakeActive(key, &taken) != Found::kCounted || taken.key != key || TakeActive(key, &taken) != Found::kNone;
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

// Receives with the handles 1, 2 … of a call that completes some of them. With more than 8, it keeps only their keys.
class Receives {
 public:
  explicit Receives(int count) : statuses(static_cast<size_t>(count)) {
    UseOneTable();
    for (int i = 1; i <= count; ++i) RememberReceive(RequestKey(handles.emplace_back(i)));
  }
  int count() const { return static_cast<int>(handles.size()); }
  // MPI completes the receive in this place, as the one in place `status` of those that complete.
  void Complete(size_t place, MPI_Status* status, int bytes) {
    handles[place] = MPI_REQUEST_NULL;
    *status = StatusOfMessage(0, 1, bytes);
  }
  // The handles of those that EPIK takes for open, of the first three.
  static std::string Open() {
    std::string open;
    for (MPI_Request handle = 1; handle <= 3; ++handle) {
      Request request;
      if (FindActive(RequestKey(handle), &request)) open += std::to_string(handle);
    }
    return open;
  }
  static Lines Received(const std::string& values) {
    return {"add " + std::to_string(event::kBytesReceivedMetric) + " " + values};
  }

  std::vector<MPI_Request> handles;
  std::vector<MPI_Status> statuses;
};

TEST(Completing, OneRequestOfSeveral) {
  for (const int count : {3, 8, 9, 30}) {
    for (const int first : {0, 1}) {
      SCOPED_TRACE(std::to_string(count) + " requests from " + std::to_string(first));
      Script([=] {
        Receives receives(count);
        Completing completing(count, receives.handles.data(), receives.statuses.data());
        receives.Complete(1, receives.statuses.data(), 16);
        completing.One(1 + first, first, MPI_SUCCESS);
        EXPECT_EQ(FakeMpi::Told(), Receives::Received("1 values: 16 from 16 to 16"));
        EXPECT_EQ(Receives::Open(), "13");
      });
    }
  }
}

TEST(Completing, SomeRequestsOfSeveral) {
  for (const int count : {3, 8, 9, 30}) {
    for (const int first : {0, 1}) {
      SCOPED_TRACE(std::to_string(count) + " requests from " + std::to_string(first));
      Script([=] {
        Receives receives(count);
        // The program wants no statuses, so EPIK gives its own to MPI.
        Completing completing(count, receives.handles.data(), MPI_STATUSES_IGNORE);
        ASSERT_NE(completing.statuses(), MPI_STATUSES_IGNORE);
        const int places[] = {2 + first, 0 + first};
        completing.Some(MPI_UNDEFINED, places, first, MPI_SUCCESS);
        completing.Some(2, places, first, MPI_ERR_OTHER);  // refused: nothing has completed
        EXPECT_EQ(FakeMpi::Told(), Lines());
        EXPECT_EQ(Receives::Open(), "123");
        receives.Complete(2, completing.statuses(), 16);
        receives.Complete(0, completing.statuses() + 1, 5);
        completing.Some(2, places, first, MPI_SUCCESS);
        EXPECT_EQ(FakeMpi::Told(), Receives::Received("2 values: 21 from 5 to 16"));
        EXPECT_EQ(Receives::Open(), "2");
      });
    }
  }
}

TEST(Completing, AFailureOfOneLeavesThoseThatArePending) {
  Script([] {
    Receives receives(3);
    Completing completing(3, receives.handles.data(), receives.statuses.data(), Which::kAll);
    EXPECT_EQ(Receives::Open(), "") << "they are taken at once";
    for (MPI_Status& status : receives.statuses) status = StatusOfMessage(0, 1, 16);
    receives.statuses[1].MPI_ERROR = MPI_ERR_PENDING;
    completing.All(MPI_ERR_IN_STATUS);
    EXPECT_EQ(FakeMpi::Told(), Receives::Received("2 values: 32 from 16 to 16"));
    EXPECT_EQ(Receives::Open(), "2");
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

// Requests of a window: numbers that follow each other (MPICH), or addresses of objects of one size (Open MPI).
TEST(HashTable, SearchesPassFewSlots) {
  struct Entry {
    uint64_t key = 0;
  };
  for (uint64_t size = 0; size <= 2048; size += 64) {
    HashTable<Entry> table;
    uint64_t passed = 0;
    for (uint64_t i = 0; i < 64; ++i) passed += table.PassedFor(table.Add(0x98000040 + i * (size == 0 ? 1 : size)));
    EXPECT_LT(passed, 64u * 3) << size;
    table.Clear();
  }
}

}  // namespace
}  // namespace epik::mpi
