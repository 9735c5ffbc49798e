// SPDX-License-Identifier: BSD-3-Clause
// Checks the costs of delays. Short traces have costs that can be computed by eye; for random programs, a reference
// looks at each nanosecond of each location.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "analysis/causes/chains.h"
#include "analysis/graph/slice.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_noise.h"
#include "analysis/replay/test_program.h"
#include "analysis/replay/test_tasks.h"

namespace epik::causes {
namespace {

using graph::Edge;
using graph::Graph;
using graph::kNone;
using graph::Made;
using graph::Place;
using graph::Point;
using replay::Script;

using Costs = std::map<std::string, int64_t>;

std::string MetricOf(Class kind, bool longterm) {
  return std::string(Classes()[kind].metric) + (longterm ? "_longterm" : "");
}

// "metric location path" -> ns
Costs CostsOf(const Delays& delays, const Script& script) {
  Costs costs;
  for (const auto& [key, ns] : delays.costs) {
    costs[MetricOf(key.kind, key.longterm) + " " + std::to_string(key.location) + " " +
          (key.path == kNone ? "?" : script.PathName(key.path))] += ns;
  }
  return costs;
}

TEST(Delay, IsWhatTheSenderDidLonger) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > work | 50 < | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 61 receive 0 5 w 8 | 62 < | 99 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  EXPECT_EQ(CostsOf(delays, script), (Costs{{"delay_latesender 0 m > work", 40}}));
  EXPECT_EQ(delays.waited_ns, 40);
  EXPECT_EQ(delays.pairs.at({1, 0}), 40);
}

TEST(Delay, OnlyCountsTheExcess) {
  Script script(2);
  script.Add(R"(0: 0 > m | 0 > work | 60 < | 60 > MPI_Send | 61 send 1 5 w 8 | 62 < | 99 <
                1: 0 > m | 0 > work | 20 < | 20 > MPI_Recv | 63 receive 0 5 w 8 | 64 < | 99 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(CostsOf(FindDelays(*made.graph), script), (Costs{{"delay_latesender 0 m > work", 40}}));
}

// 0 works for 100. 1 waits for 0 until 100, works 10 and sends to 2, which has waited since 5.
TEST(Delay, GoesThroughAThirdOne) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 0 > work | 100 < | 100 > MPI_Send | 101 send 1 0 w 8 | 102 < | 103 <
         1: 0 > m | 0 > MPI_Recv | 103 receive 0 0 w 8 | 103 < | 103 > more | 110 < | 110 > MPI_Send | 111 send 2 0 w 8 | 112 < | 113 <
         2: 0 > m | 0 > less | 5 < | 5 > MPI_Recv | 113 receive 1 0 w 8 | 113 < | 113 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  // 2 waits 105 ns. In this time 1 waited 100, received for 3 and did 7 more than 2, of 110. The rest is the work of 0.
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(costs.at("delay_latesender 0 m > work"), 100);
  EXPECT_EQ(costs.at("delay_latesender_longterm 0 m > work"),
            105 - costs.at("delay_latesender 1 m > more") - costs.at("delay_latesender 1 m > MPI_Recv"));
  EXPECT_NEAR(costs.at("delay_latesender_longterm 0 m > work"), 95, 1);
  EXPECT_EQ(delays.Cost(), delays.waited_ns);
  const std::vector<Chain> chains = FindChains(delays);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[0].waits.location, 2u);
  ASSERT_EQ(chains[0].links.size(), 2u);
  EXPECT_TRUE(chains[0].links[0].cause.waited);
  EXPECT_EQ(chains[0].links[0].cause.location, 1u);
  EXPECT_FALSE(chains[0].links[1].cause.waited);
  EXPECT_EQ(script.PathName(chains[0].links[1].cause.path), "m > work");
  EXPECT_EQ(chains[0].links[1].more, 100);
}

TEST(Delay, OfALockIsTheHoldersTimeInside) {
  Script script(1);
  script.Add(R"(0: 0 > m | 10 > omp_critical | 10 lock_acquire 7 1 | 12 > f | 40 < | 40 lock_release 7 1 | 40 < | 99 <
                0.1: 0 > t | 10 > omp_critical | 42 lock_acquire 7 2 | 50 lock_release 7 2 | 51 < | 99 <)");
  const Made made = graph::Make(&script);
  const Costs costs = CostsOf(FindDelays(*made.graph), script);
  int64_t sum = 0;
  for (const auto& [name, ns] : costs) sum += ns;
  EXPECT_EQ(sum, 30);
  EXPECT_GT(costs.at("delay_lock 0 m > omp_critical > f"), 20);
}

// 1 waits for 0 until 40; 2 waits for 0 until 40, and then for 1 until 60.
TEST(Delay, OfAMutexIsWhatEachThatHadItDid) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > f | 40 < | 99 <
         0.1: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 0 | 40 lock_got 7 | 40 < | 40 > g | 60 < | 99 <
         0.2: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 0 | 60 lock_got 7 | 60 < | 99 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 80);
  EXPECT_EQ(delays.Cost(), 80);
  EXPECT_EQ(delays.unknown_ns, 0);
  EXPECT_EQ(delays.pairs, (std::map<Pair, int64_t>{{{1, 0}, 30}, {{2, 0}, 30}, {{2, 1}, 20}}));
  EXPECT_EQ(costs.at("delay_mutex 1 t > g"), 20);
  EXPECT_EQ(costs.at("delay_mutex 0 m > f") + costs.at("delay_mutex 0 m"), 60);
}

TEST(Delay, OfAMutexIsNotWhatItsHolderDidLater) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > f | 4000000 < | 4000100 > g | 9000000 < | 9000099 <
         0.1: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 0 | 4000050 lock_got 7 | 4000060 < | 9000099 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.Cost(), 4000040);
  EXPECT_GT(costs.at("delay_mutex 0 m > f"), 3999900);
  EXPECT_EQ(costs.at("delay_mutex 0 m > g"), 50);
}

// 1 has the mutex from 5 to 25, within f. Its other work comes later.
TEST(Delay, OfAMutexIsWhatItsHolderDidRightAfterItGotIt) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 99 <
         0.1: 0 > t | 1 > pthread_lock_api | 1 lock_wanted 7 0 | 5 lock_got 7 | 5 < | 5 > f | 25 < | 25 > g | 95 < | 99 <
         0.2: 0 > t | 5 > pthread_lock_api | 5 lock_wanted 7 1 | 25 lock_got 7 | 25 < | 99 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  EXPECT_EQ(delays.Cost(), delays.waited_ns);
  // 2 waits 20. 1 was in f for 20, and had waited for 4 itself.
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(costs.at("delay_mutex 1 t > f"), 17);
  EXPECT_EQ(costs.count("delay_mutex 1 t > g"), 0u);
}

TEST(Delay, OfAMutexThatNobodyKnowsTheHolderOfIsUnknown) {
  Script script(1);
  script.Add(R"(0: 0 > m | 99 <
                0.1: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 -1 | 40 lock_got 7 | 40 < | 99 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  EXPECT_EQ(CostsOf(delays, script), (Costs{{"delay_mutex 1 t > pthread_lock_api", 30}}));
  EXPECT_EQ(delays.unknown_ns, 30);
}

// Two kinds of work are no excess: work of both threads before one created the other, and work that nobody waits for.
TEST(Delay, OfAJoinIsWhatTheThreadDid) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 0 > before | 90 < | 100 thread_create 1 | 120 > pthread_management | 121 join_wanted 1 | 160 join_got 1 | 161 < | 199 <
         0.1: 105 > t | 105 thread_begin 1 | 110 > work | 150 < | 150 thread_end 1 | 150 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 30);
  EXPECT_EQ(delays.Cost(), 30);
  EXPECT_EQ(delays.unknown_ns, 0);
  EXPECT_EQ(delays.pairs, (std::map<Pair, int64_t>{{{0, 1}, 30}}));
  EXPECT_GE(costs.at("delay_join 1 t > work"), 26);
  EXPECT_EQ(costs.count("delay_join 1 t > before"), 0u);
}

// 0 signals at 40, and has the mutex until 60.
TEST(Delay, OfAConditionIsWhatCameBeforeTheSignal) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > produce | 38 < | 40 signal 5 0 | 42 > keep | 58 < | 99 <
         0.1: 0 > t | 2 > pthread_conditional | 2 signal_wanted 5 6 | 60 signal_got 5 1 | 60 < | 99 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 58);
  EXPECT_EQ(delays.Cost(), 58);
  EXPECT_EQ(delays.unknown_ns, 0);
  EXPECT_EQ(delays.pairs, (std::map<Pair, int64_t>{{{1, 0}, 58}}));
  EXPECT_EQ(costs.count("delay_condition 0 m > keep"), 0u);
  EXPECT_GE(costs.at("delay_condition 0 m > produce"), 30);
  EXPECT_EQ(costs.count("delay_mutex 0 m > produce"), 0u);
  EXPECT_GE(costs.at("delay_mutex 0 m > keep"), 14);
}

TEST(Delay, OfABarrierOfThreadsIsTheLastOnes) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > pthread_barrier | 10 thread_barrier 5 2 | 53 < | 60 > pthread_semaphore | 60 signal_wanted 7 0 | 82 signal_got 7 1 | 82 < | 99 <
         0.1: 0 > t | 5 > work | 50 < | 50 > pthread_barrier | 50 thread_barrier 5 2 | 53 < | 55 > fill | 79 < | 80 signal 7 0 | 99 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 60);
  EXPECT_EQ(delays.Cost(), 60);
  EXPECT_EQ(delays.unknown_ns, 0);
  EXPECT_GE(costs.at("delay_threadbarrier 1 t > work"), 35);
  EXPECT_GE(costs.at("delay_semaphore 1 t > fill"), 15);
}

// Work of the holder before it created the waiting thread is no excess.
TEST(Delay, BeginsWhereTheThreadWasMade) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 0 > work | 500 < | 505 > omp | 506 fork x 1 | 507 team_begin 0 1 0 | 510 > omp_critical | 511 lock_acquire 7 1 | 512 > f | 540 < | 541 lock_release 7 1 | 542 < | 550 < | 599 <
         0.1: 507 > omp | 507 team_begin 0 1 1 | 515 > omp_critical | 543 lock_acquire 7 2 | 543 lock_release 7 2 | 544 < | 550 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.Cost(), delays.waited_ns);
  EXPECT_EQ(costs.count("delay_lock 0 m > work"), 0u);
  EXPECT_GT(costs.at("delay_lock 0 m > omp > omp_critical > f"), delays.waited_ns / 2);
}

TEST(Delay, WhoHadNotBegunIsSaid) {
  Script script(2);
  script.Add(R"(0: 80 > m | 80 > MPI_Send | 81 send 1 5 w 8 | 82 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 83 receive 0 5 w 8 | 84 < | 99 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(CostsOf(FindDelays(*made.graph), script), (Costs{{"delay_latesender 0 ?", 70}}));
}

// 1 works until 50 before it posts. 0 waits for the post in its MPI_Win_complete, and 1 waits for the end of the access
// of 0.
TEST(Delay, OfEpochsIsWhatTheOtherSideDid) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 5 > MPI_Win_start | 6 window_sync MPI_Win_start 0 1 | 6 < | 10 > MPI_Win_complete | 60 window_sync MPI_Win_complete 0 -1 | 60 < | 60 > more | 90 < | 90 > MPI_Win_start | 91 window_sync MPI_Win_start 0 1 | 91 < | 91 > MPI_Win_complete | 92 window_sync MPI_Win_complete 0 -1 | 92 < | 99 <
         1: 0 > m | 10 > work | 50 < | 50 > MPI_Win_post | 51 window_sync MPI_Win_post 0 0 | 51 < | 51 > MPI_Win_wait | 60 window_sync MPI_Win_wait 0 -1 | 60 < | 60 > MPI_Win_post | 61 window_sync MPI_Win_post 0 0 | 61 < | 61 > MPI_Win_wait | 95 window_sync MPI_Win_wait 0 -1 | 95 < | 99 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 40 + 30);
  EXPECT_EQ(delays.Cost(), delays.waited_ns);
  EXPECT_EQ(delays.unknown_ns, 0);
  EXPECT_EQ(delays.pairs, (std::map<Pair, int64_t>{{{0, 1}, 40}, {{1, 0}, 30}}));
  EXPECT_GE(costs.at("delay_latepost 1 m > work"), 38);
  EXPECT_GE(costs.at("delay_earlywait 0 m > more"), 20);
}

TEST(Delay, OfFencesAndLocksOfWindows) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Win_fence | 51 window_sync MPI_Win_fence 0 -1 | 51 < | 52 > MPI_Win_lock | 53 window_lock MPI_Win_lock 0 1 1 | 53 < | 53 > hold | 80 < | 80 > MPI_Win_unlock | 81 window_sync MPI_Win_unlock 0 1 | 81 < | 99 <
         1: 0 > m | 10 > work | 50 < | 50 > MPI_Win_fence | 51 window_sync MPI_Win_fence 0 -1 | 51 < | 55 > MPI_Win_lock | 82 window_lock MPI_Win_lock 0 1 1 | 82 < | 83 > MPI_Win_unlock | 84 window_sync MPI_Win_unlock 0 1 | 84 < | 99 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 40 + 25);
  EXPECT_EQ(delays.Cost(), delays.waited_ns);
  EXPECT_EQ(costs.at("delay_fence 1 m > work"), 40);
  EXPECT_GE(costs.at("delay_windowlock 0 m > hold"), 22);
}

TEST(Delay, OfCommunicatorsAndFiles) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Comm_dup | 51 collective_call MPI_Comm_dup w | 51 < | 60 > MPI_File_read_all | 92 collective_call MPI_File_read_all w | 92 < | 99 <
         1: 0 > m | 10 > work | 50 < | 50 > MPI_Comm_dup | 51 collective_call MPI_Comm_dup w | 51 < | 55 > more | 90 < | 90 > MPI_File_read_all | 92 collective_call MPI_File_read_all w | 92 < | 99 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 40 + 30);
  EXPECT_EQ(delays.Cost(), delays.waited_ns);
  EXPECT_EQ(costs.at("delay_management 1 m > work"), 40);
  EXPECT_GE(costs.at("delay_io 1 m > more"), 29);
}

// 0 creates the task of 1 only at 40. 1 runs it until 70, and 0 waits for it at its taskwait.
TEST(Delay, OfTasks) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 fork x 1 | 3 team_begin 0 1 0 | 5 > produce | 40 < | 40 > create | 40 task_create 9 | 42 < | 45 > omp_taskwait | 71 < | 75 > omp_ibarrier | 75 barrier | 76 < | 99 <
         0.1: 3 > m | 3 team_begin 0 1 1 | 10 > omp_ibarrier | 10 barrier | 43 > task | 43 task_begin 9 | 70 task_end 9 | 70 < | 76 < | 77 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  // 1 waits until the creation at 40, until 43 for the team, and from 70 until 75 for 0. 0 waits from 45 until 70.
  EXPECT_EQ(delays.waited_ns, 30 + 3 + 5 + 25);
  EXPECT_EQ(delays.unknown_ns, 0);
  EXPECT_TRUE(delays.IsWhole());
  EXPECT_EQ(delays.pairs, (std::map<Pair, int64_t>{{{0, 1}, 25}, {{1, 0}, 38}}));
  EXPECT_GE(costs.at("delay_taskcreation 0 m > produce"), 25);
  EXPECT_GE(costs.at("delay_task 1 m > omp_ibarrier > task"), 15);
}

// 1 waits in the barrier for 0, which runs 7. The task that 1 runs next needs 7, so 1 does not wait for the end of the
// region: `task` is to blame, not `late`.
TEST(Delay, OfATaskThatTheNextOneNeeds) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 fork x 1 | 3 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 4 task_needs 7 64 2 | 5 < | 5 > create | 5 task_create 8 | 5 task_needs 8 64 1 | 6 < | 8 > omp_taskwait | 8 task_wait | 9 > task | 9 task_begin 7 | 50 task_end 7 | 50 < | 50 task_switch 0 | 71 < | 72 > late | 92 < | 93 > omp_ibarrier | 93 barrier | 94 < | 99 <
         0.1: 3 > m | 3 team_begin 0 1 1 | 10 > omp_ibarrier | 10 barrier | 52 > task | 52 task_begin 8 | 70 task_end 8 | 70 < | 94 < | 95 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  // 1 waits until 50 for 7, until 52 and from 70 until 93 for 0. 0 waits from 50 until 70 for 8.
  EXPECT_EQ(delays.waited_ns, 40 + 2 + 23 + 20);
  EXPECT_TRUE(delays.IsWhole());
  EXPECT_GE(costs.at("delay_task 0 m > omp_taskwait > task"), 35);
  EXPECT_LE(costs.at("delay_ompbarrier 0 m > late"), 23);
}

// Before each of its teams, 1 is idle while 0 works alone.
TEST(Delay, OfIdleThreadsIsWhatTheLeaderDoesAlone) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 6 fork x 1 | 6 team_begin 0 1 0 | 20 > omp_ibarrier | 20 barrier | 21 < | 21 < | 22 > alone | 60 < | 61 > omp | 62 fork x 2 | 62 team_begin 0 2 0 | 70 > omp_ibarrier | 70 barrier | 71 < | 71 < | 99 <
         0.1: 7 > omp | 7 team_begin 0 1 1 | 20 > omp_ibarrier | 20 barrier | 21 < | 21 < | 62 > omp | 62 team_begin 0 2 1 | 70 > omp_ibarrier | 70 barrier | 71 < | 71 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const Costs costs = CostsOf(delays, script);
  EXPECT_EQ(delays.waited_ns, 0);
  EXPECT_EQ(delays.idle_ns, 41);
  EXPECT_TRUE(delays.IsWhole());
  EXPECT_TRUE(delays.pairs.empty());
  EXPECT_GE(costs.at("delay_ompidle 0 m > alone"), 25);
}

// Thread 1 of rank 0 waits for thread 1 of rank 1. Both were idle equally long, so that is no cause.
TEST(Delay, OfThreadsThatWereIdleAlike) {
  const std::string leader =
      "0 > m | 5 > omp | 6 fork x 1 | 6 team_begin 0 1 0 | 20 > omp_ibarrier | 20 barrier | 21 < | 21 < | 22 > alone | "
      "60 < | "
      "61 > omp | 62 fork x 2 | 62 team_begin 0 2 0 | 90 > omp_ibarrier | 90 barrier | 91 < | 91 < | 99 <\n";
  const std::string first = "7 > omp | 7 team_begin 0 1 1 | 20 > omp_ibarrier | 20 barrier | 21 < | 21 < | ";
  const std::string last = " | 90 > omp_ibarrier | 90 barrier | 91 < | 91 <\n";
  Script script(2);
  script.Add("0: " + leader + "0.1: " + first +
             "62 > omp | 62 team_begin 0 2 1 | 63 > MPI_Recv | 81 receive 1 5 w 8 | 82 <" + last + "1: " + leader +
             "1.1: " + first +
             "62 > omp | 62 team_begin 0 2 1 | 62 > late | 80 < | 80 > MPI_Send | 81 send 0 5 w 8 | 82 <" + last);
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  EXPECT_TRUE(delays.IsWhole());
  const Costs costs = CostsOf(delays, script);
  EXPECT_GE(costs.at("delay_latesender 3 omp > late"), 16);
  EXPECT_EQ(costs.count("delay_latesender_longterm 2 m > alone"), 0u);
}

// A trace of everything has idleness as a call.
TEST(Delay, OfIdleThreadsThatAreInACallOfThatName) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 6 fork x 1 | 6 team_begin 0 1 0 | 20 > omp_ibarrier | 20 barrier | 21 < | 21 < | 22 > alone | 60 < | 61 > omp | 62 fork x 2 | 62 team_begin 0 2 0 | 70 > omp_ibarrier | 70 barrier | 71 < | 71 < | 99 <
         0.1: 7 > omp | 7 team_begin 0 1 1 | 20 > omp_ibarrier | 20 barrier | 21 < | 21 < | 21 > omp_idle_threads | 62 < | 62 > omp | 62 team_begin 0 2 1 | 70 > omp_ibarrier | 70 barrier | 71 < | 71 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  EXPECT_EQ(delays.idle_ns, 41);
  EXPECT_TRUE(delays.IsWhole());
  EXPECT_GE(CostsOf(delays, script).at("delay_ompidle 0 m > alone"), 25);
}

// ---- The reference: what each location does at each nanosecond.

struct Moment {
  uint32_t path = kNone;
  uint32_t wait = kNone;  // edge
};

class Reference {
 public:
  explicit Reference(const Graph& graph) : graph_(graph) {
    for (uint32_t l = 0; l < graph.locations(); ++l) Fill(l);
    std::sort(waits_.begin(), waits_.end(), [&](const auto& a, const auto& b) { return End(a) > End(b); });
  }

  std::map<CostKey, double> costs;
  void Find() {
    std::map<uint32_t, std::map<Class, double>> caused;
    for (const auto& [place, number] : waits_) {
      const Edge& edge = graph_.EdgeAt(number);
      const uint32_t r = place.location, s = edge.partner.location;
      const int64_t since = Common(r, edge.from, s, edge.to);
      std::map<uint32_t, int64_t> its, mine, inside;
      for (int64_t t = since; t < edge.to; ++t) {
        const Moment moment = At(s, t);
        if (moment.wait == kNone) ++its[moment.path];
        if (moment.wait != kNone) ++inside[moment.wait];
      }
      for (int64_t t = since; t < edge.from; ++t) {
        if (At(r, t).wait == kNone) ++mine[At(r, t).path];
      }
      double weights = 0;
      for (auto& [path, ns] : its) weights += static_cast<double>(ns = std::max<int64_t>(ns - mine[path], 0));
      for (const auto& [wait, ns] : inside) weights += static_cast<double>(ns);
      const auto share = [&](double ns, Class kind, bool longterm) {
        for (const auto& [path, excess] : its)
          costs[{s, path, kind, longterm}] += ns * static_cast<double>(excess) / weights;
        for (const auto& [wait, time] : inside) caused[wait][kind] += ns * static_cast<double>(time) / weights;
      };
      const Class kind = ClassOf(graph_, edge);
      const std::map<Class, double> handed = caused[number];
      if (kind != kHandsOn) share(static_cast<double>(edge.Waited()), kind, false);
      for (const auto& [finally, ns] : handed) share(ns, finally, true);
    }
  }

 private:
  void Fill(uint32_t l) {
    auto& line = lines_[l];
    for (uint32_t p = 0; p < graph_.size(l); ++p) {
      const Point& point = graph_.At({l, p});
      // The order within a segment does not matter, because slices begin and end at its ends.
      if (p > 0) {
        for (const graph::Cell& cell : graph_.Segment(point))
          line.insert(line.end(), static_cast<size_t>(cell.ns), Moment{cell.path});
      } else {
        begin_[l] = point.begin;
      }
      const size_t at = line.size();
      line.insert(line.end(), static_cast<size_t>(point.end - point.begin), Moment{point.path});
      for (uint32_t e = point.edge; e != kNone; e = graph_.EdgeAt(e).next) {
        const Edge& edge = graph_.EdgeAt(e);
        if (edge.Waited() == 0) continue;
        waits_.emplace_back(Place{l, p}, e);
        for (int64_t t = edge.from; t < edge.to; ++t) line[at + static_cast<size_t>(t - point.begin)].wait = e;
      }
    }
  }
  Moment At(uint32_t l, int64_t t) const {
    const int64_t at = t - begin_.at(l);
    const auto& line = lines_.at(l);
    return at < 0 || at >= static_cast<int64_t>(line.size()) ? Moment() : line[static_cast<size_t>(at)];
  }
  using Waiting = std::pair<Place, uint32_t>;  // at a point, by that edge
  int64_t End(const Waiting& wait) const { return graph_.EdgeAt(wait.second).to; }

  // The last time at which a wait of one for the other ended, or waits of both for the same partner.
  int64_t Common(uint32_t r, int64_t from, uint32_t s, int64_t to) const {
    int64_t since = std::min({from, begin_.at(r), begin_.at(s)});
    const int64_t until = std::min(from, to);
    for (const auto& [one, number] : waits_) {
      const Edge& a = graph_.EdgeAt(number);
      if (a.to > until) continue;
      const bool direct =
          (one.location == r && a.partner.location == s) || (one.location == s && a.partner.location == r);
      if (direct) since = std::max(since, a.to);
      if (one.location != r) continue;
      for (const auto& [other, its_number] : waits_) {
        const Edge& b = graph_.EdgeAt(its_number);
        if (other.location == s && b.to == a.to && b.partner == a.partner) since = std::max(since, a.to);
      }
    }
    return since;
  }

  const Graph& graph_;
  std::map<uint32_t, std::vector<Moment>> lines_;
  std::map<uint32_t, int64_t> begin_;
  std::vector<Waiting> waits_;
};

TEST(Delay, OfRandomProgramsIsTheReferences) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const replay::Program program(2 + static_cast<int>(seed % 6), 60, seed);
    Script script(program.ranks());
    program.Write(-1, &script);
    const Made made = graph::Make(&script);
    const Delays delays = FindDelays(*made.graph);
    int64_t planted = 0;
    for (const auto& [name, ns] : program.expected) planted += ns;
    ASSERT_EQ(delays.waited_ns, planted);
    ASSERT_EQ(delays.Cost(), planted) << "no nanosecond is lost, none is made up";
    EXPECT_EQ(delays.unknown_ns, 0);
    Reference reference(*made.graph);
    reference.Find();
    for (const auto& [key, seconds] : reference.costs) {
      const auto found = delays.costs.find(key);
      const double ns = found == delays.costs.end() ? 0 : static_cast<double>(found->second);
      // Each share of each wait is rounded to a nanosecond; waits last some tens.
      ASSERT_NEAR(ns, seconds, 6.0 + 0.02 * seconds)
          << MetricOf(key.kind, key.longterm) << " " << key.location << " "
          << (key.path == kNone ? "?" : script.PathName(key.path)) << ", seed " << seed;
    }
    int64_t pairs = 0, groups = 0;
    for (const auto& [pair, ns] : delays.pairs) pairs += ns;
    for (const auto& [group, facts] : delays.groups) {
      groups += facts.ns;
      EXPECT_LE(facts.indirect_ns, facts.ns);
      EXPECT_LE(facts.propagating_ns, facts.ns);
    }
    EXPECT_EQ(delays.flows.size(), std::min(delays.groups.size(), kMostFlows));
    for (const Flow& flow : delays.flows) {
      int64_t own = 0, handed_on = 0, further = 0;
      for (const auto& [cause, its] : flow.causes) own += its.ns, handed_on += cause.waited ? its.ns : 0;
      EXPECT_EQ(own, delays.groups.at(flow.waits).ns);
      for (const auto& [group, causes] : flow.further) {
        for (const auto& [cause, its] : causes) further += cause.waited ? 0 : its.ns;
      }
      EXPECT_EQ(further, handed_on) << "what waits handed on ends at actions";
    }
    EXPECT_EQ(pairs, planted);
    EXPECT_EQ(groups, planted);
  }
}

TEST(Delay, OfRandomTasksIsTheReferences) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const replay::TaskProgram program(2 + static_cast<int>(seed % 4), 10, seed);
    Script script(1);
    program.Write(&script);
    const Made made = graph::Make(&script);
    EXPECT_EQ(made.unplaced, 0u);
    const Delays delays = FindDelays(*made.graph);
    int64_t planted = 0;
    for (const auto& [name, ns] : program.expected) {
      const bool is_part = name.starts_with("omp_ibarrier_creation") || name.starts_with("omp_task_start");
      planted += is_part ? 0 : ns;
    }
    ASSERT_EQ(delays.waited_ns, planted) << "seed " << seed;
    ASSERT_TRUE(delays.IsWhole());
    EXPECT_EQ(delays.unknown_ns, 0);
    Reference reference(*made.graph);
    reference.Find();
    for (const auto& [key, cost] : reference.costs) {
      const auto found = delays.costs.find(key);
      const double ns = found == delays.costs.end() ? 0 : static_cast<double>(found->second);
      ASSERT_NEAR(ns, cost, 6.0 + 0.02 * cost)
          << MetricOf(key.kind, key.longterm) << " " << key.location << ", seed " << seed;
    }
  }
}

// One thread creates tasks and waits for nobody. Another one waits in its barrier for each of them. Returns the CPU
// seconds until the causes are known.
double SecondsOfTasks(int count) {
  std::string creates = "0.0: 1 > m | 2 team_begin 0 1 0 |",
              runs = "0.1: 1 > m | 2 team_begin 0 1 1 | 3 > omp_ibarrier | 3 barrier |";
  int64_t at = 0;
  for (int task = 1; task <= count; ++task) {
    at += 10;
    const std::string number = std::to_string(task);
    const auto when = [&](int64_t after) { return " " + std::to_string(at + after) + " "; };
    creates += when(0) + "task_create " + number + " |";
    runs += when(2) + "> task |" + when(2) + "task_begin " + number + " |" + when(7) + "task_end " + number + " |" +
            when(7) + "< |";
  }
  const auto end = [&](int64_t after) { return " " + std::to_string(at + after) + " "; };
  creates += end(10) + "> omp_ibarrier |" + end(10) + "barrier |" + end(12) + "< |" + end(20) + "<";
  Script script(1);
  script.Add(creates + "\n" + runs + end(12) + "< |" + end(20) + "<");
  const std::clock_t begin = std::clock();
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_TRUE(delays.IsWhole());
  EXPECT_GE(delays.waits, static_cast<uint64_t>(count) - 1);
  return seconds;
}

TEST(Delay, OfManyTasksTakesTimeInProportion) {
  constexpr int kFew = 10'000, kTimes = 4;
  double few = 1e9, many = 1e9;
  for (int round = 0; round < 5; ++round) {
    few = std::min(few, SecondsOfTasks(kFew));
    many = std::min(many, SecondsOfTasks(kTimes * kFew));
    if (many < 2 * kTimes * few) return;
  }
  FAIL() << few << " s, and of " << kTimes << " times as many " << many << " s";
}

TEST(Delay, OfNoiseIsItsWaits) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const replay::World world = replay::AnyWorld(2 + static_cast<int>(seed % 4), seed);
    const Made made = graph::Make(world, replay::AnySources(world, seed));
    const Delays delays = FindDelays(*made.graph);
    EXPECT_TRUE(delays.IsWhole());
    FindChains(delays);
  }
}

}  // namespace
}  // namespace epik::causes
