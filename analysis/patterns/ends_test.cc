// SPDX-License-Identifier: BSD-3-Clause
// The program ends while its threads wait.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

// The program ends right after its last thread has come. The others were on their way out of the barrier.
TEST(Ends, OfATeamInABarrierAllHaveComeTo) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 6 fork x 1 | 7 team_begin 0 1 0 | 60 > omp_ebarrier | 61 barrier | 62 < | 63 > f
         0.1: 8 > t | 9 team_begin 0 1 1 | 10 > omp_ebarrier | 11 barrier
         0.2: 8 > u | 9 team_begin 0 1 2 | 30 > omp_ebarrier | 31 barrier)");
  script.End(70);
  EXPECT_EQ(Look(&script).waits,
            (Waits{{"omp_ebarrier_wait 0 t > omp_ebarrier", 50}, {"omp_ebarrier_wait 0 u > omp_ebarrier", 30}}));
}

// A thread has not come when the program is killed. The others have waited for it until then.
TEST(Ends, OfATeamInABarrierThatNobodyLeft) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 6 fork x 1 | 7 team_begin 0 1 0 | 60 > f
         0.1: 8 > t | 9 team_begin 0 1 1 | 10 > omp_ebarrier | 11 barrier
         0.2: 8 > u | 9 team_begin 0 1 2 | 30 > omp_ebarrier | 31 barrier)");
  script.End(70);
  EXPECT_EQ(Look(&script).waits,
            (Waits{{"omp_ebarrier_wait 0 t > omp_ebarrier", 60}, {"omp_ebarrier_wait 0 u > omp_ebarrier", 40}}));
}

TEST(Ends, OfThreadsInABarrierOfLibc) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 50 > pthread_barrier | 50 thread_barrier 5 2 | 52 < | 53 > f
         0.1: 0 > t | 10 > pthread_barrier | 10 thread_barrier 5 2)");
  script.End(70);
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_barrier_wait 0 t > pthread_barrier", 40}}));
}

}  // namespace
}  // namespace epik::patterns
