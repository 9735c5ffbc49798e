// SPDX-License-Identifier: BSD-3-Clause
// Scripts of events: communicators and windows in the processes of a job. No MPI is called.
#include "adapters/mpi/comms.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "adapters/mpi/fake_mpi.h"
#include "adapters/mpi/log.h"
#include "adapters/mpi/test_process.h"
#include "adapters/mpi/windows.h"

namespace epik::mpi {

namespace {

// The same script in all processes of a job: the reports must be the same in all of them, for any handles.
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

// A process makes a communicator of each of two copies, with the same members and tag.
std::string OfCopies(int rank, MPI_Comm first, MPI_Comm second) {
  return RunAs(rank, 2, [=] {
    std::string text;
    for (const MPI_Comm copy : {100, 200}) {
      FakeMpi::Make(copy, {0, 1});
      Created(MPI_COMM_WORLD, copy);
    }
    for (const MPI_Comm copy : {first, second}) {
      FakeMpi::Make(copy + 1, {0, 1});
      CreatedByMembers(copy, copy + 1, 5);
    }
    for (const MPI_Comm made : {101, 201}) {
      text += std::to_string(FakeMpi::identities[NumberOf(Find(made), made)]) + " ";
    }
    return text;
  });
}

TEST(Communicators, ThatThreadsMakeOfTwoOthersAtOnceAreNotMixedUp) {
  EXPECT_EQ(OfCopies(0, 100, 200), OfCopies(1, 200, 100));
}

// The processes of a spawned job find their parents' communicator, each with an identity of its own.
std::string OfFound(int rank) {
  return RunAs(rank, 2, [=] {
    FakeMpi::Make(100, {0, 1}, {-1});
    Met(100);
    FakeMpi::Make(200, {-1, 0, 1});
    Created(100, 200);
    FakeMpi::Make(300, {0, 1});
    CreatedByMembers(200, 300, 5);
    return std::to_string(FakeMpi::identities[NumberOf(Find(300), 300)]);
  });
}

TEST(Communicators, OfMembersOfAFoundOneAreTheSameInAllProcesses) { EXPECT_EQ(OfFound(0), OfFound(1)); }

// Two groups of a job connect twice.
std::string Connected(int rank, Ranks own, Ranks remote) {
  return RunAs(rank, 4, [=] {
    std::string text;
    for (const MPI_Comm between : {100 + rank, 200 + rank}) {
      FakeMpi::Make(between, own, remote);
      CreatedBetween(MPI_COMM_SELF, between);
      text += std::to_string(FakeMpi::identities[NumberOf(Find(between), between)]) + " ";
    }
    return text;
  });
}

TEST(Communicators, AreTheSameOnBothSidesOfAConnection) {
  const std::string one = Connected(0, {0, 1}, {2, 3});
  EXPECT_EQ(Connected(3, {2, 3}, {0, 1}), one);
  EXPECT_NE(Connected(2, {2}, {0}), one);
  EXPECT_NE(one.substr(0, one.find(' ')), one.substr(one.find(' ') + 1, one.rfind(' ') - one.find(' ') - 1));
  EXPECT_NE(Connected(0, {0}, {-1}), Connected(1, {1}, {-1})) << "processes of other jobs";
}

// Two processes of a job, or of two jobs, join their sockets.
std::string Joined(int rank, int remote) {
  return RunAs(rank, 4, [=] {
    FakeMpi::Make(100, {rank}, {remote});
    CreatedBetween(MPI_COMM_NULL, 100);
    return std::to_string(FakeMpi::identities[NumberOf(Find(100), 100)]);
  });
}

TEST(Communicators, AreTheSameInProcessesThatJoined) {
  EXPECT_EQ(Joined(0, 2), Joined(2, 0));
  EXPECT_NE(Joined(0, -1), Joined(1, -1)) << "with processes of other jobs";
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

TEST(Windows, AreCreationsOnTheirCommunicator) {
  Script([] {
    FakeMpi::Make(7, {3, 1, 0});
    Created(MPI_COMM_WORLD, 7);
    CreatedWindow(7, 20);
    Forget(7);  // it may be freed before its window
    EXPECT_EQ(NumberOfWindow(20), 1u);
    EXPECT_EQ(MemberOf(2, 20).rank, 0);
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

}  // namespace
}  // namespace epik::mpi
