// SPDX-License-Identifier: BSD-3-Clause
// Wait states of one-sided communication, of calls that move no data, and of tasks, by eye.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Kind;
using replay::Reason;
using replay::Script;

TEST(Windows, FencesWaitForTheLastOneAndForAccesses) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Win_fence | 3 window_sync MPI_Win_fence 0 -1 | 3 < | 10 > MPI_Win_fence | 51 window_sync MPI_Win_fence 0 -1 | 51 < | 99 <
         1: 0 > m | 1 > MPI_Win_fence | 3 window_sync MPI_Win_fence 0 -1 | 3 < | 5 > MPI_Put | 30 put 0 0 8 | 30 < | 50 > MPI_Win_fence | 51 window_sync MPI_Win_fence 0 -1 | 51 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_rma_early_fence 0 m > MPI_Win_fence", 20},
                                {"mpi_rma_wait_at_fence 0 m > MPI_Win_fence", 40}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Windows, AFenceThatSomebodyLeftBeforeIsNoWaiting) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Win_fence | 3 window_sync MPI_Win_fence 0 -1 | 3 < | 99 <
                1: 0 > m | 20 > MPI_Win_fence | 23 window_sync MPI_Win_fence 0 -1 | 23 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

// 0 waits for the post in MPI_Win_start, 2 waits for it in its access, and 1 waits for the end of both accesses.
TEST(Windows, EpochsWaitForTheirOtherSide) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 5 > MPI_Win_start | 41 window_sync MPI_Win_start 0 1 | 41 < | 42 > MPI_Put | 45 put 1 0 8 | 45 < | 60 > MPI_Win_complete | 61 window_sync MPI_Win_complete 0 -1 | 61 < | 99 <
         1: 0 > m | 40 > MPI_Win_post | 41 window_sync MPI_Win_post 0 0 | 41 window_sync MPI_Win_post 0 2 | 41 < | 44 > MPI_Win_wait | 82 window_sync MPI_Win_wait 0 -1 | 82 < | 99 <
         2: 0 > m | 5 > MPI_Win_start | 6 window_sync MPI_Win_start 0 1 | 6 < | 10 > MPI_Put | 50 put 1 0 8 | 50 < | 80 > MPI_Win_complete | 81 window_sync MPI_Win_complete 0 -1 | 81 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_rma_comm_late_post 2 m > MPI_Put", 30},
                                {"mpi_rma_early_wait 1 m > MPI_Win_wait", 36},
                                {"mpi_rma_late_complete 1 m > MPI_Win_wait", 30},
                                {"mpi_rma_sync_late_post 0 m > MPI_Win_start", 35}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Windows, LocksWaitForWhoHasThem) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 5 > MPI_Win_lock | 6 window_lock MPI_Win_lock 0 2 1 | 6 < | 40 > MPI_Win_unlock | 41 window_sync MPI_Win_unlock 0 2 | 41 < | 99 <
         1: 0 > m | 8 > MPI_Win_lock | 9 window_lock MPI_Win_lock 0 2 1 | 9 < | 10 > MPI_Get | 42 get 2 0 8 | 42 < | 70 > MPI_Win_unlock | 71 window_sync MPI_Win_unlock 0 2 | 71 < | 99 <
         2: 0 > m | 50 > MPI_Win_lock | 72 window_lock MPI_Win_lock 0 2 0 | 72 < | 73 > MPI_Win_unlock | 74 window_sync MPI_Win_unlock 0 2 | 74 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_rma_comm_lock_competition 1 m > MPI_Get", 30},
                                        {"mpi_rma_sync_lock_competition 2 m > MPI_Win_lock", 20}}));
}

TEST(Windows, SynchronisingMemoryIsNoEpoch) {
  Script script(1);
  script.Add("0: 0 > m | 5 > MPI_Win_sync | 6 window_sync MPI_Win_sync 0 -1 | 6 < | 99 <");
  EXPECT_EQ(Look(&script).unmatched.Total(), 0u);
}

TEST(Windows, ARankThatIsMissingIsCounted) {
  Script script(3);
  script.Add(R"(0: 0 > m | 1 > MPI_Win_fence | 3 window_sync MPI_Win_fence 0 -1 | 3 < | 99 <
                1: 0 > m | 20 > MPI_Win_fence | 23 window_sync MPI_Win_fence 0 -1 | 23 < | 30 > MPI_Win_post | 31 window_sync MPI_Win_post 0 2 | 31 < | 32 > MPI_Win_wait | 33 window_sync MPI_Win_wait 0 -1 | 33 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Of(Kind::kEpoch, Reason::kNotTraced), 3u);
}

TEST(Management, WaitsForTheLastOneIfNobodyLeftBefore) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Comm_dup | 51 collective_call MPI_Comm_dup w | 52 < | 60 > MPI_Comm_free | 60 collective_call MPI_Comm_free w | 61 < | 70 > MPI_Win_create | 91 collective_call MPI_Win_create w | 91 < | 99 <
         1: 0 > m | 50 > MPI_Comm_dup | 51 collective_call MPI_Comm_dup w | 52 < | 80 > MPI_Comm_free | 80 collective_call MPI_Comm_free w | 82 < | 90 > MPI_Win_create | 91 collective_call MPI_Win_create w | 91 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits,
            (Waits{{"mpi_comm_wait 0 m > MPI_Comm_dup", 40}, {"mpi_rma_wait_at_create 0 m > MPI_Win_create", 20}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Tasks, TaskwaitsWaitForTheLastOneBelow) {
  // 0 runs one of its two tasks itself. 1 runs the other one, which creates a third.
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 5 < | 5 > create | 5 task_create 8 | 6 < | 10 > omp_taskwait | 11 > task | 11 task_begin 8 | 30 task_end 8 | 30 < | 30 task_switch 0 | 71 < | 72 > omp_ibarrier | 72 barrier | 73 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 3 > omp_ibarrier | 3 barrier | 6 > task | 6 task_begin 7 | 20 > create | 20 task_create 9 | 21 < | 50 task_end 7 | 50 < | 50 task_switch 0 | 51 > task | 51 task_begin 9 | 70 task_end 9 | 70 < | 70 task_switch 0 | 73 < | 74 <)");
  Waits waits = Look(&script).waits;
  EXPECT_EQ(waits.at("omp_taskwait_wait 0 m > omp_taskwait"), 40);  // from 30 until 70
  EXPECT_EQ(waits.at("omp_ibarrier_wait 0 m > omp_ibarrier"), 3 + 1 + 2);
  EXPECT_EQ(waits.at("omp_ibarrier_creation 0 m > omp_ibarrier"), 1);
  EXPECT_EQ(waits.at("omp_task_start 0 m > omp_taskwait > task"), 6);
  EXPECT_EQ(waits.at("omp_task_start 0 m > omp_ibarrier > task"), 2 + 31);
}

// The thread 1 runs tasks, each of which creates the next one and ends. Time that grows with the square of their number
// would be minutes.
TEST(Tasks, AChainIsPassedOnce) {
  constexpr int kTasks = 200000;
  std::string runs = "0.1: 2 > m | 2 team_begin 0 1 1 | 3 > omp_ibarrier | 3 barrier | ";
  int at = 10;
  for (int number = 1; number <= kTasks; ++number, at += 4) {
    const auto say = [&](int after, const std::string& what, int of) {
      runs += std::to_string(at + after) + " " + what + std::to_string(of) + " | ";
    };
    say(0, "task_begin ", number);
    if (number < kTasks) say(1, "task_create ", number + 1);
    say(2, "task_end ", number);
  }
  const std::string last = std::to_string(at - 2), leave = std::to_string(at), end = std::to_string(at + 9);
  Script script(1);
  script.Add("0: 0 > m | 2 team_begin 0 1 0 | 4 task_create 1 | 5 > omp_taskwait | " + leave + " < | " + leave +
             " > omp_ibarrier | " + leave + " barrier | " + end + " < | " + end + " < ");
  script.Add(runs + end + " < | " + end + " <");
  EXPECT_EQ(Look(&script).waits.at("omp_taskwait_wait 0 m > omp_taskwait"), std::stoll(last) - 5);
}

// Thread 1 waits for the last task below its own one, whose creator has ended, as has the creator of that one.
TEST(Tasks, TasksOfThoseThatHaveEndedAreAwaitedByTheOneAbove) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 task_create 7 | 10 > omp_ibarrier | 10 barrier | 11 > task | 11 task_begin 8 | 12 task_create 9 | 13 task_create 10 | 20 task_end 8 | 20 < | 20 task_switch 0 | 21 > task | 21 task_begin 9 | 22 task_create 11 | 30 task_end 9 | 30 < | 30 task_switch 0 | 31 > task | 31 task_begin 10 | 40 task_end 10 | 40 < | 40 task_switch 0 | 41 > task | 41 task_begin 11 | 60 task_end 11 | 60 < | 60 task_switch 0 | 90 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 5 > omp_ibarrier | 5 barrier | 6 > task | 6 task_begin 7 | 7 task_create 8 | 8 > omp_taskwait | 61 < | 70 task_end 7 | 70 < | 70 task_switch 0 | 90 < | 99 <)");
  EXPECT_EQ(Look(&script).waits.at("omp_taskwait_wait 0 m > omp_ibarrier > task > omp_taskwait"), 60 - 8);
}

TEST(Tasks, BarriersWaitForTasksToBeCreatedAndToEnd) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 40 > create | 40 task_create 7 | 41 < | 45 > omp_ibarrier | 45 barrier | 91 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 5 > omp_ibarrier | 5 barrier | 43 > task | 43 task_begin 7 | 89 task_end 7 | 90 < | 90 task_switch 0 | 91 < | 92 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"omp_ibarrier_creation 0 m > omp_ibarrier", 35},
                                        {"omp_ibarrier_tasks 0 m > omp_ibarrier", 44},
                                        {"omp_ibarrier_wait 0 m > omp_ibarrier", 38},
                                        {"omp_task_start 0 m > omp_ibarrier > task", 3}}));
}

// 1 begins an untied task and leaves it, 0 goes on with it, and 1 ends it.
TEST(Tasks, PartsOfAnUntiedTaskNeedEachOther) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 5 < | 6 > omp_ibarrier | 6 barrier | 9 > task | 9 task_switch 7 | 40 < | 91 < | 99 <
         0.1: 2 > t | 2 team_begin 0 1 1 | 6 > omp_ibarrier | 6 barrier | 7 > task | 7 task_begin 7 | 8 < | 42 > task | 42 task_switch 7 | 88 task_end 7 | 89 < | 91 < | 92 <)");
  const Waits waits = Look(&script).waits;
  EXPECT_EQ(waits.at("omp_ibarrier_tasks 0 m > omp_ibarrier"), 2 + 48);
  EXPECT_EQ(waits.at("omp_ibarrier_tasks 0 t > omp_ibarrier"), 32);
}

// 7 writes data that 8 reads. 1 has come to the barrier, and runs 8 when 0 has ended 7. All waiting of 1 before 0 comes
// to the barrier counts as waiting there.
TEST(Tasks, BeforeTheLastOneComesABarrierIsWaitingWhateverTheNextTaskNeeds) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 4 task_needs 7 4096 2 | 5 < | 6 > create | 6 task_create 8 | 6 task_needs 8 4096 1 | 7 < | 8 > omp_taskwait | 8 task_wait | 9 > task | 9 task_begin 7 | 50 task_end 7 | 50 < | 50 task_switch 0 | 83 < | 84 > omp_ibarrier | 84 barrier | 91 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 3 > omp_ibarrier | 3 barrier | 53 > task | 53 task_begin 8 | 80 task_end 8 | 81 < | 81 task_switch 0 | 91 < | 92 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"omp_ibarrier_creation 0 m > omp_ibarrier", 3},
                                        {"omp_ibarrier_wait 0 m > omp_ibarrier", 50 + 3},
                                        {"omp_task_start 0 m > omp_ibarrier > task", 47},
                                        {"omp_task_start 0 m > omp_taskwait > task", 5},
                                        {"omp_taskwait_wait 0 m > omp_taskwait", 30}}));
}

TEST(Tasks, ATaskwaitWaitsForTheEndOfWhatTheNextTaskNeeds) {
  // 0 waits for tasks and runs 8. That task needs 7, which 1 runs.
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 4 task_needs 7 4096 2 | 5 < | 6 > create | 6 task_create 8 | 6 task_needs 8 4096 2 | 7 < | 8 > create | 8 task_create 9 | 9 < | 10 > omp_taskwait | 10 task_wait | 52 > task | 52 task_begin 8 | 60 task_end 8 | 60 < | 60 task_switch 0 | 75 < | 84 > omp_ibarrier | 84 barrier | 91 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 3 > omp_ibarrier | 3 barrier | 5 > task | 5 task_begin 7 | 50 task_end 7 | 51 < | 51 task_switch 0 | 54 > task | 54 task_begin 9 | 74 task_end 9 | 74 < | 74 task_switch 0 | 91 < | 92 <)");
  EXPECT_EQ(Look(&script).waits.at("omp_taskwait_wait 0 m > omp_taskwait"), 40 + 14);
}

// 1 runs the body of a detached task until 20, works on other things until 60, and then fulfils its event.
TEST(Tasks, ADetachedOneEndsWhenItsEventIsFulfilled) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 5 < | 8 > omp_taskwait | 61 < | 72 > omp_ibarrier | 72 barrier | 73 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 3 > omp_ibarrier | 3 barrier | 6 > task | 6 task_begin 7 | 6 task_detached 7 4096 | 20 task_end 7 | 20 < | 20 task_switch 0 | 21 > task | 21 task_begin 9 | 60 task_fulfilled 4096 | 70 task_end 9 | 70 < | 70 task_switch 0 | 73 < | 74 <)");
  EXPECT_EQ(Look(&script).waits.at("omp_taskwait_wait 0 m > omp_taskwait"), 52);
}

TEST(Tasks, ADetachedOneWhoseEventWasFulfilledBeforeEndsWithItsBody) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 5 < | 5 task_fulfilled 4096 | 8 > omp_taskwait | 22 < | 72 > omp_ibarrier | 72 barrier | 73 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 3 > omp_ibarrier | 3 barrier | 6 > task | 6 task_begin 7 | 6 task_detached 7 4096 | 20 task_end 7 | 20 < | 20 task_switch 0 | 73 < | 74 <)");
  EXPECT_EQ(Look(&script).waits.at("omp_taskwait_wait 0 m > omp_taskwait"), 12);
}

}  // namespace
}  // namespace epik::patterns
