// SPDX-License-Identifier: BSD-3-Clause
// Causes compare what two threads did since they were together last. Before a thread was made, its past is that of its
// maker; while it waited, that of whom it waited for.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/causes/delays.h"
#include "analysis/graph/test_graph.h"

namespace epik::causes {
namespace {

using Costs = std::map<std::string, int64_t>;

// "metric location path" -> ns
Costs CostsOf(replay::Script* script) {
  const graph::Made made = graph::Make(script);
  const Delays delays = FindDelays(*made.graph);
  EXPECT_TRUE(delays.IsWhole());
  Costs costs;
  for (const auto& [key, ns] : delays.costs) {
    costs[std::string(Classes()[key.kind].metric) + " " + std::to_string(key.location) + " " +
          (key.path == graph::kNone ? "?" : script->PathName(key.path))] += ns;
  }
  return costs;
}

// The thread that sends was not there at the barrier, but the thread that made its team was.
TEST(Past, OfAThreadIsItsMakersBeforeItsTeam) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 0 > before | 50 < | 50 > MPI_Barrier | 50 collective_begin MPI_Barrier 0 | 61 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 62 > omp | 62 fork x 1 | 63 team_begin 0 1 0 | 64 > omp_critical | 65 lock_acquire 7 1 | 66 lock_release 7 1 | 67 < | 150 < | 199 <
         0.1: 63 > omp | 63 team_begin 0 1 1 | 65 > work | 100 < | 100 > MPI_Send | 101 send 1 5 w 8 | 102 < | 103 <
         1: 0 > m | 60 > MPI_Barrier | 60 collective_begin MPI_Barrier 0 | 61 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 62 > MPI_Recv | 104 receive 0 5 w 8 | 105 < | 199 <)");
  Costs costs = CostsOf(&script);
  EXPECT_GE(costs["delay_latesender 1 omp > work"], 33);
  for (const auto& [what, ns] : costs) EXPECT_TRUE(what.find("before") == std::string::npos) << what;
}

// Location 0.1 has one thread after the other. The last one has the mutex that the thread of 0.2 wants.
TEST(Past, IsNotThatOfEarlierThreadsOfTheLocation) {
  replay::Script script(1);
  script.Add(
      R"(0: 0 > m | 5 thread_create 1 | 100 > pthread_management | 101 join_wanted 1 | 205 join_got 1 | 206 < | 210 thread_create 2 | 240 thread_create 3 | 999 <
         0.1: 7 > unrelated | 8 thread_begin 1 | 200 thread_end 1 | 200 < | 212 > t | 212 thread_begin 2 | 215 > holder | 300 < | 400 thread_end 2 | 400 <
         0.2: 242 > u | 242 thread_begin 3 | 250 > pthread_lock_api | 251 lock_wanted 7 1 | 300 lock_got 7 | 301 < | 310 thread_end 3 | 310 <)");
  EXPECT_EQ(CostsOf(&script)["delay_mutex 1 t > holder"], 50);
}

// Location 0.1 has a thread of the first team until 60, and then one of the second team, which was made at 20. The
// thread of the first team waits for one of the second team.
TEST(Past, IsNotThatOfTheThreadThatHasTheLocationNext) {
  replay::Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 5 fork x 1 | 6 team_begin 0 1 0 | 20 > inner | 20 fork x 2 | 21 team_begin 0 2 0 | 199 < | 199 < | 199 <
         0.1: 7 > omp | 7 team_begin 0 1 1 | 30 > pthread_lock_api | 31 lock_wanted 7 2 | 50 lock_got 7 | 51 < | 60 < | 70 > inner | 71 team_begin 0 2 2 | 90 <
         0.2: 25 > inner | 25 team_begin 0 2 1 | 26 > holder | 50 < | 55 <)");
  EXPECT_GE(CostsOf(&script)["delay_mutex 2 inner > holder"], 10);
}

// Location 0.1 is still that of another thread when the team is made, and until 60.
TEST(Past, OfAThreadOfATeamIsNotThatOfWhoHadTheLocation) {
  replay::Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 5 fork x 1 | 6 team_begin 0 1 0 | 20 > inner | 20 fork x 2 | 21 team_begin 0 2 0 | 30 > pthread_lock_api | 31 lock_wanted 7 1 | 90 lock_got 7 | 91 < | 199 < | 199 < | 199 <
         0.1: 7 > omp | 7 team_begin 0 1 1 | 8 > unrelated | 60 < | 60 < | 70 > inner | 70 team_begin 0 2 1 | 71 > holder | 90 < | 90 <)");
  Costs costs = CostsOf(&script);
  EXPECT_EQ(costs["delay_mutex 1 inner > holder"], 19);
  for (const auto& [what, ns] : costs) EXPECT_TRUE(what.find("unrelated") == std::string::npos) << what << " " << ns;
}

// The first waits for the second, that one for the third and the third for the last, all until 50. All of it is the
// work of the last, whatever numbers they have.
TEST(Past, OfWaitsThatEndTogetherIsTheWorkOfTheLast) {
  constexpr int kOrders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 2, 1, 3}, {1, 3, 0, 2}};
  for (const auto& [a, b, c, d] : kOrders) {
    const auto in_the_middle = [](int rank, int to, int from) {
      return std::to_string(rank) + ": 0 > m | 10 > MPI_Recv | 50 receive " + std::to_string(from) +
             " 5 w 8 | 50 < | 50 > MPI_Send | 50 send " + std::to_string(to) + " 5 w 8 | 51 < | 99 <\n";
    };
    replay::Script script(4);
    script.Add(std::to_string(a) + ": 0 > m | 10 > MPI_Recv | 51 receive " + std::to_string(b) +
               " 5 w 8 | 52 < | 99 <\n" + in_the_middle(b, a, c) + in_the_middle(c, b, d) + std::to_string(d) +
               ": 0 > work | 50 > MPI_Send | 50 send " + std::to_string(c) + " 5 w 8 | 51 < | 99 <\n");
    EXPECT_EQ(CostsOf(&script), (Costs{{"delay_latesender " + std::to_string(d) + " work", 120}}));
  }
}

}  // namespace
}  // namespace epik::causes
