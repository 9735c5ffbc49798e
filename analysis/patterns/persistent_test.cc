// SPDX-License-Identifier: BSD-3-Clause
// Persistent operations match by their `_init` and their start, which records tell, in whatever order processes start
// them.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

std::string Turn(uint64_t init, uint64_t start) { return "turn " + std::to_string(init << 32 | start) + " | "; }

// A start of an operation, and its end in a call that waits for it.
std::string Start(int at, const std::string& operation, int request) {
  const std::string begin = std::to_string(at);
  return begin + " > MPI_Start | " + begin + " collective_begin " + operation + " " + std::to_string(request) + " | " +
         std::to_string(at + 1) + " < | ";
}
std::string Wait(int from, int to, const std::string& turn, const std::string& end) {
  const std::string at = std::to_string(to) + " ";
  const std::string told = turn.empty() ? "" : at + turn;
  return std::to_string(from) + " > MPI_Wait | " + told + at + "collective_end " + end + " | " + at + "< | ";
}
std::string Barrier(int from, int to) {
  const std::string begin = std::to_string(from), end = std::to_string(to);
  return begin + " > MPI_Barrier | " + begin + " collective_begin MPI_Barrier 0 | " + end +
         " collective_end MPI_Barrier w -1 0 0 0 | " + end + " < | ";
}
const std::string kSum = "MPI_Allreduce_init", kBarrier = "MPI_Barrier_init";
const std::string kSumEnd = kSum + " w -1 4 4 1", kBarrierEnd = kBarrier + " w -1 0 0 2";

TEST(Persistent, OperationsStartInAnyOrder) {
  Script script(2);
  script.Add("0: 0 > m | " + Start(1, kSum, 1) + Start(4, kBarrier, 2) + Barrier(7, 21) +
             Wait(23, 31, Turn(2, 1), kBarrierEnd) + Wait(33, 83, Turn(1, 1), kSumEnd) + "99 <");
  script.Add("1: 0 > m | " + Barrier(20, 21) + Start(29, kBarrier, 2) + Wait(30, 33, Turn(2, 1), kBarrierEnd) +
             Start(81, kSum, 1) + Wait(82, 84, Turn(1, 1), kSumEnd) + "99 <");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_barrier_wait 0 m > MPI_Barrier", 13},
                                        {"mpi_barrier_wait 0 m > MPI_Wait", 6},
                                        {"mpi_wait_nxn 0 m > MPI_Wait", 48}}));
}

TEST(Persistent, StartsOfWhichAProcessIsMissingShiftNoOthers) {
  Script script(2);
  script.Partial(1);
  script.Add("0: 0 > m | " + Start(1, kSum, 1) + Wait(3, 7, Turn(1, 1), kSumEnd) + Start(10, kSum, 1) +
             Wait(12, 43, Turn(1, 2), kSumEnd) + Barrier(50, 61) + "99 <");
  script.Add("1: 0 > m | " + Start(40, kSum, 1) + Wait(41, 43, Turn(1, 2), kSumEnd) + "60 > MPI_Barrier | 60 " +
             "collective_begin MPI_Barrier 0 | 61 turn 1 | 61 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 99 <");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_barrier_wait 0 m > MPI_Barrier", 10}, {"mpi_wait_nxn 0 m > MPI_Wait", 28}}));
}

// Older traces have no such records.
TEST(Persistent, WithoutRecordsTheirOrderTells) {
  Script script(2);
  script.Add("0: 0 > m | " + Start(1, kSum, 1) + Wait(3, 31, "", kSumEnd) + Barrier(40, 61) + "99 <");
  script.Add("1: 0 > m | " + Start(30, kSum, 1) + Wait(31, 33, "", kSumEnd) + Barrier(60, 61) + "99 <");
  EXPECT_EQ(Look(&script).waits,
            (Waits{{"mpi_barrier_wait 0 m > MPI_Barrier", 20}, {"mpi_wait_nxn 0 m > MPI_Wait", 27}}));
}

}  // namespace
}  // namespace epik::patterns
