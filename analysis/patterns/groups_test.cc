// SPDX-License-Identifier: BSD-3-Clause
// Operations between two groups: a process needs the other group, and its own one if MPI gathers that first.
#include <gtest/gtest.h>

#include <string>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

std::string Take(const std::string& call, int rank, uint32_t between, int begin, int end) {
  const auto text = [](int time) { return std::to_string(time); };
  const std::string bytes = call == "MPI_Barrier" ? "0 0" : "4 4";
  return text(rank) + ": 0 > m | " + text(begin) + " > " + call + " | " + text(begin) + " collective_begin " + call +
         " 0 | " + text(end) + " collective_end " + call + " " + text(static_cast<int>(between)) + " -1 " + bytes +
         " 0 | " + text(end) + " < | 99 <\n";
}

// Without the time after the first one has left.
Waits WaitsOf(replay::Script* script) {
  Waits waits = Look(script).waits;
  std::erase_if(waits, [](const auto& wait) { return wait.first.find("completion") != std::string::npos; });
  return waits;
}

TEST(TwoGroups, NeedEachOther) {
  replay::Script script(4);
  const uint32_t between = script.Group({0, 1}, {2, 3});
  // Rank 1 is the last one, and rank 0 does not wait for it.
  script.Add(Take("MPI_Alltoall", 0, between, 10, 35) + Take("MPI_Alltoall", 1, between, 60, 70) +
             Take("MPI_Alltoall", 2, between, 20, 70) + Take("MPI_Alltoall", 3, between, 30, 70));
  EXPECT_EQ(WaitsOf(&script), (Waits{{"mpi_wait_nxn 0 m > MPI_Alltoall", 20},
                                     {"mpi_wait_nxn 2 m > MPI_Alltoall", 40},
                                     {"mpi_wait_nxn 3 m > MPI_Alltoall", 30}}));
}

TEST(TwoGroups, NeedTheirOwnIfNoneLeftBeforeAllHadCome) {
  for (const std::string call : {"MPI_Allreduce", "MPI_Barrier"}) {
    replay::Script script(4);
    const uint32_t between = script.Group({0, 1}, {2, 3});
    script.Add(Take(call, 0, between, 10, 70) + Take(call, 1, between, 60, 71) + Take(call, 2, between, 20, 72) +
               Take(call, 3, between, 30, 73));
    const std::string wait = call == "MPI_Barrier" ? "mpi_barrier_wait " : "mpi_wait_nxn ";
    EXPECT_EQ(WaitsOf(&script),
              (Waits{{wait + "0 m > " + call, 50}, {wait + "2 m > " + call, 40}, {wait + "3 m > " + call, 30}}));
  }
}

}  // namespace
}  // namespace epik::patterns
