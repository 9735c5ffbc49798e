// SPDX-License-Identifier: BSD-3-Clause
// A process in a scan waits for the ranks before it, if there is any data.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

TEST(Scan, WaitsForLowerRanks) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Scan | 11 collective_begin MPI_Scan 0 | 12 collective_end MPI_Scan w -1 8 8 0 | 13 < | 99 <
                1: 0 > m | 40 > MPI_Scan | 41 collective_begin MPI_Scan 0 | 42 collective_end MPI_Scan w -1 8 8 0 | 43 < | 99 <
                2: 0 > m | 20 > MPI_Scan | 21 collective_begin MPI_Scan 0 | 50 collective_end MPI_Scan w -1 8 8 0 | 51 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_earlyscan 2 m > MPI_Scan", 20}}));
}

TEST(Scan, OfNothingWaitsForNobody) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 40 > MPI_Scan | 41 collective_begin MPI_Scan 0 | 42 collective_end MPI_Scan w -1 0 0 0 | 43 < | 99 <
                1: 0 > m | 10 > MPI_Scan | 11 collective_begin MPI_Scan 0 | 12 collective_end MPI_Scan w -1 0 0 0 | 13 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits());
  EXPECT_EQ(found.totals.violations, 0u);
}

TEST(Scan, TheFirstRankWaitsForNobody) {
  // Rank 1 comes to the scan only after a message that rank 0 sent after the scan.
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Scan | 11 collective_begin MPI_Scan 0 | 12 collective_end MPI_Scan w -1 8 8 0 | 13 < | 20 > MPI_Send | 21 send 1 7 w 8 | 22 < | 99 <
                1: 0 > m | 15 > MPI_Recv | 30 receive 0 7 w 8 | 31 < | 40 > MPI_Scan | 41 collective_begin MPI_Scan 0 | 42 collective_end MPI_Scan w -1 8 8 0 | 43 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 5}}));
  EXPECT_EQ(found.totals.forced, 0u);
}

}  // namespace
}  // namespace epik::patterns
