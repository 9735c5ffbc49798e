// SPDX-License-Identifier: BSD-3-Clause
// Which messages tell that a size goes without its receive: some MPIs move small ones while the receiver is in MPI, and
// keep their senders waiting while it is not.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"
#include "analysis/replay/test_script.h"

namespace epik::patterns {
namespace {

using replay::Script;

constexpr char kSender[] =
    "0: 0 > m | 1 > MPI_Send | 2 send 1 4 w 0 | 3 < | 10 > MPI_Send | 11 send 1 5 w 8 | 15 < | 30 > MPI_Send "
    "| 31 send 1 5 w 8 | 85 < | 99 <";

TEST(Absent, AReceiverInMpiTellsNothingOfTheSize) {
  Script script(2);
  script.Add(kSender);
  script.Add(
      "1: 0 > m | 5 > MPI_Recv | 12 receive 0 4 w 0 | 13 < | 20 > MPI_Recv | 22 receive 0 5 w 8 | 23 < "
      "| 80 > MPI_Recv | 84 receive 0 5 w 8 | 86 < | 99 <");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Send", 50}}));
}

TEST(Absent, AReceiverOutOfMpiTellsThatTheSizeGoesAlone) {
  Script script(2);
  script.Add(kSender);
  script.Add(
      "1: 0 > m | 5 > MPI_Recv | 8 receive 0 4 w 0 | 9 < | 20 > MPI_Recv | 22 receive 0 5 w 8 | 23 < "
      "| 80 > MPI_Recv | 84 receive 0 5 w 8 | 86 < | 99 <");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

TEST(Absent, TheSameOfAReceiveThatAnotherCallCompletes) {
  Script script(2);
  script.Add(kSender);
  script.Add(
      "1: 0 > m | 5 > MPI_Recv | 12 receive 0 4 w 0 | 13 < | 20 > MPI_Irecv | 21 receive_begin 1 | 22 < "
      "| 24 > MPI_Wait | 25 receive_end 0 5 w 8 1 | 26 < | 80 > MPI_Recv | 84 receive 0 5 w 8 | 86 < | 99 <");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Send", 50}}));
}

// The message would have gone in the call that the receiver left at 60.
TEST(Absent, OnlyTheTimeOutOfMpiCounts) {
  Script script(2);
  script.Add(
      "0: 0 > m | 1 > MPI_Send | 2 send 1 4 w 0 | 3 < | 10 > MPI_Send | 11 send 1 5 w 8 | 15 < | 16 > MPI_Send "
      "| 17 send 1 7 w 0 | 18 < | 30 > MPI_Send | 31 send 1 5 w 8 | 85 < | 99 <");
  script.Add(
      "1: 0 > m | 5 > MPI_Recv | 12 receive 0 4 w 0 | 13 < | 20 > MPI_Recv | 22 receive 0 5 w 8 | 23 < "
      "| 25 > MPI_Recv | 59 receive 0 7 w 0 | 60 < | 80 > MPI_Recv | 84 receive 0 5 w 8 | 86 < | 99 <");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Send", 20}}));
}

TEST(Absent, AReceiverThatProbedWasInMpi) {
  Script script(2);
  script.Add(kSender);
  script.Add(
      "1: 0 > m | 5 > MPI_Recv | 8 receive 0 4 w 0 | 9 < | 12 > MPI_Probe | 17 probe 0 5 w 8 | 18 < | 20 > MPI_Recv "
      "| 22 receive 0 5 w 8 | 23 < | 80 > MPI_Recv | 84 receive 0 5 w 8 | 86 < | 99 <");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Send", 50}}));
}

// Calls that do not communicate are not in each trace.
TEST(Absent, ACallThatDoesNotCommunicateIsNoPresence) {
  Script script(2);
  script.Add(kSender);
  script.Add(
      "1: 0 > m | 5 > MPI_Recv | 8 receive 0 4 w 0 | 9 < | 12 > MPI_Comm_rank | 13 < | 20 > MPI_Recv "
      "| 22 receive 0 5 w 8 | 23 < | 80 > MPI_Recv | 84 receive 0 5 w 8 | 86 < | 99 <");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

}  // namespace
}  // namespace epik::patterns
