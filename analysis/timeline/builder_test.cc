// SPDX-License-Identifier: BSD-3-Clause
// The timeline draws the waits that the analysis finds.
#include "analysis/timeline/builder.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "analysis/patterns/patterns.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_script.h"

namespace epik::timeline {
namespace {

// "pattern row cause" -> nanoseconds
using Drawn = std::map<std::string, int64_t>;

Drawn Draw(replay::Script* script) {
  replay::World world = script->world();
  for (uint32_t l = 0; l < world.locations.size(); ++l) world.locations[l].column = l;
  replay::MeasuredTime time(&world);
  Builder builder(&world, world.locations.size(), 0, 100, 100);
  replay::Replay replay(&world, script->Sources(), &time, {&builder});
  replay.Run();
  Drawn drawn;
  for (const Wait& wait : builder.Finish().waits.items) {
    drawn[kPatternNames[wait.pattern] + (" " + std::to_string(wait.location)) + " " + std::to_string(wait.cause)] +=
        wait.to - wait.from;
  }
  return drawn;
}

TEST(Builder, PatternsAreThoseOfTheAnalysis) {
  std::set<std::string> known;
  for (const patterns::PatternInfo* info : patterns::AllPatterns()) known.insert(info->name);
  for (const char* name : kPatternNames) EXPECT_TRUE(known.contains(name)) << name;
}

// Parts of the waits of a pattern, and calls that waited.
std::pair<uint64_t, uint64_t> PartsAndCalls(const Timeline& timeline, const std::string& pattern) {
  std::pair<uint64_t, uint64_t> found;
  for (const Wait& wait : timeline.waits.items) {
    if (kPatternNames[wait.pattern] != pattern) continue;
    ++found.first;
    found.second += wait.goes_on ? 0 : 1;
  }
  return found;
}

TEST(Builder, ACallThatWaitsForSeveralIsOneWait) {
  replay::World world;
  world.locations.resize(3);
  for (uint32_t l = 0; l < world.locations.size(); ++l) world.locations[l].column = l;
  Builder builder(&world, 3, 0, 1000, 100);
  using Stretch = replay::ThreadWait::Stretch;
  const auto wait = [&](int64_t enter, std::vector<Stretch> stretches) {
    replay::ThreadWait made;
    made.call.location = 0;
    made.call.enter = enter;
    made.call.leave = stretches.back().to;
    made.stretches = std::move(stretches);
    builder.Waited(made);
  };
  wait(10, {{1, 10, 20}, {2, 20, 30}, {1, 30, 35}});
  wait(35, {{1, 35, 40}});
  wait(50, {{1, 50, 60, replay::ThreadWait::What::kEnd}, {2, 60, 61}, {1, 61, 70, replay::ThreadWait::What::kEnd}});
  const Timeline timeline = builder.Finish();
  EXPECT_EQ(PartsAndCalls(timeline, "pthread_lock_contention_mutex_lock"), (std::pair<uint64_t, uint64_t>(5, 3)));
  EXPECT_EQ(PartsAndCalls(timeline, "pthread_join_wait"), (std::pair<uint64_t, uint64_t>(2, 1)));
}

TEST(Builder, DrawsWaitsInInit) {
  replay::Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Init | 20 < | 99 <
                1: 0 > m | 5 > MPI_Init | 26 < | 99 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"mpi_init_wait 0 1", 4}}));
}

TEST(Builder, DrawsWaitsAtFences) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Win_fence | 3 window_sync MPI_Win_fence 0 -1 | 3 < | 10 > MPI_Win_fence | 51 window_sync MPI_Win_fence 0 -1 | 51 < | 99 <
         1: 0 > m | 1 > MPI_Win_fence | 3 window_sync MPI_Win_fence 0 -1 | 3 < | 50 > MPI_Win_fence | 51 window_sync MPI_Win_fence 0 -1 | 51 < | 99 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"mpi_rma_wait_at_fence 0 1", 40}}));
}

TEST(Builder, DrawsWaitsForTheOtherSideOfAnEpoch) {
  replay::Script script(3);
  script.Add(
      R"(0: 0 > m | 5 > MPI_Win_start | 41 window_sync MPI_Win_start 0 1 | 41 < | 42 > MPI_Put | 45 put 1 0 8 | 45 < | 60 > MPI_Win_complete | 61 window_sync MPI_Win_complete 0 -1 | 61 < | 99 <
         1: 0 > m | 40 > MPI_Win_post | 41 window_sync MPI_Win_post 0 0 | 41 window_sync MPI_Win_post 0 2 | 41 < | 44 > MPI_Win_wait | 82 window_sync MPI_Win_wait 0 -1 | 82 < | 99 <
         2: 0 > m | 5 > MPI_Win_start | 6 window_sync MPI_Win_start 0 1 | 6 < | 10 > MPI_Put | 50 put 1 0 8 | 50 < | 80 > MPI_Win_complete | 81 window_sync MPI_Win_complete 0 -1 | 81 < | 99 <)");
  EXPECT_EQ(
      Draw(&script),
      (Drawn{{"mpi_rma_comm_late_post 2 1", 30}, {"mpi_rma_early_wait 1 2", 36}, {"mpi_rma_sync_late_post 0 1", 35}}));
}

TEST(Builder, DrawsWaitsForLocksOfWindows) {
  replay::Script script(3);
  script.Add(
      R"(0: 0 > m | 5 > MPI_Win_lock | 6 window_lock MPI_Win_lock 0 2 1 | 6 < | 40 > MPI_Win_unlock | 41 window_sync MPI_Win_unlock 0 2 | 41 < | 99 <
         1: 0 > m | 8 > MPI_Win_lock | 9 window_lock MPI_Win_lock 0 2 1 | 9 < | 10 > MPI_Get | 42 get 2 0 8 | 42 < | 70 > MPI_Win_unlock | 71 window_sync MPI_Win_unlock 0 2 | 71 < | 99 <
         2: 0 > m | 50 > MPI_Win_lock | 72 window_lock MPI_Win_lock 0 2 0 | 72 < | 73 > MPI_Win_unlock | 74 window_sync MPI_Win_unlock 0 2 | 74 < | 99 <)");
  EXPECT_EQ(Draw(&script),
            (Drawn{{"mpi_rma_comm_lock_competition 1 0", 30}, {"mpi_rma_sync_lock_competition 2 1", 20}}));
}

// Thread 0 runs one of its two tasks at the taskwait, and thread 1 runs the other one.
TEST(Builder, DrawsWaitsAtATaskwait) {
  replay::Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 5 < | 5 > create | 5 task_create 8 | 6 < | 10 > omp_taskwait | 11 > task | 11 task_begin 8 | 30 task_end 8 | 30 < | 71 < | 72 > omp_ibarrier | 72 barrier | 73 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 6 > task | 6 task_begin 7 | 70 task_end 7 | 70 < | 72 > omp_ibarrier | 72 barrier | 73 < | 74 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"omp_taskwait_wait 0 1", 40}}));
}

TEST(Builder, DrawsWaitsForTasksInABarrier) {
  replay::Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 40 > create | 40 task_create 7 | 41 < | 45 > omp_ibarrier | 45 barrier | 91 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 5 > omp_ibarrier | 5 barrier | 43 > task | 43 task_begin 7 | 89 task_end 7 | 90 < | 91 < | 92 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"omp_ibarrier_tasks 0 1", 44}, {"omp_ibarrier_wait 1 0", 38}}));
}

TEST(Builder, DrawsWaitsOfSenders) {
  replay::Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Ssend | 11 send 1 5 w 8 | 63 < | 99 <
                1: 0 > m | 20 > MPI_Irecv | 21 receive_begin 1 | 23 < | 60 > MPI_Wait | 61 receive_end 0 5 w 8 1 | 64 < | 99 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"mpi_latereceiver 0 1", 10}, {"mpi_lateprogress 0 1", 37}}));
}

TEST(Builder, DrawsOperationsThatMoveOnlyInMpi) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 10 > MPI_Wait | 62 collective_end MPI_Iallreduce w -1 4 4 1 | 63 < | 99 <
         1: 0 > m | 4 > MPI_Iallreduce | 5 collective_begin MPI_Iallreduce 1 | 6 < | 60 > MPI_Wait | 61 collective_end MPI_Iallreduce w -1 4 4 1 | 62 < | 99 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"mpi_lateprogress 0 1", 50}}));
}

TEST(Builder, DrawsBothPartsOfTheWaitOfARoot) {
  replay::Script script(3);
  script.Add(
      R"(0: 0 > m | 50 > MPI_Reduce | 51 collective_begin MPI_Reduce 0 | 90 collective_end MPI_Reduce w 0 8 8 0 | 91 < | 99 <
         1: 0 > m | 60 > MPI_Reduce | 61 collective_begin MPI_Reduce 0 | 70 collective_end MPI_Reduce w 0 8 0 0 | 71 < | 99 <
         2: 0 > m | 80 > MPI_Reduce | 81 collective_begin MPI_Reduce 0 | 90 collective_end MPI_Reduce w 0 8 0 0 | 91 < | 99 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"mpi_earlyreduce 0 1", 10}, {"mpi_earlyreduce_last 0 2", 20}}));
}

TEST(Builder, DrawsWaitsAtTheManagementOfCommunicatorsAndWindows) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Comm_dup | 51 collective_call MPI_Comm_dup w | 52 < | 60 > MPI_Comm_free | 60 collective_call MPI_Comm_free w | 61 < | 70 > MPI_Win_create | 91 collective_call MPI_Win_create w | 91 < | 99 <
         1: 0 > m | 50 > MPI_Comm_dup | 51 collective_call MPI_Comm_dup w | 52 < | 80 > MPI_Comm_free | 80 collective_call MPI_Comm_free w | 82 < | 90 > MPI_Win_create | 91 collective_call MPI_Win_create w | 91 < | 99 <)");
  EXPECT_EQ(Draw(&script), (Drawn{{"mpi_comm_wait 0 1", 40}, {"mpi_rma_wait_at_create 0 1", 20}}));
}

}  // namespace
}  // namespace epik::timeline
