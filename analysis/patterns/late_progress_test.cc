// SPDX-License-Identifier: BSD-3-Clause
// Sends that wait until their receiver is back in MPI, by eye.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

TEST(LateProgress, TheReceiverComputes) {
  Script script(2);
  script.Add(R"(0: 0 > m | 5 > MPI_Isend | 6 send_begin 1 5 w 8 1 | 7 < | 10 > MPI_Wait | 62 send_end 1 | 63 < | 99 <
                1: 0 > m | 1 > MPI_Irecv | 2 receive_begin 1 | 3 < | 60 > MPI_Wait | 61 receive_end 0 5 w 8 1 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_lateprogress 0 m > MPI_Wait", 50}}));
}

TEST(LateProgress, ComesAfterTheReceiveIsPosted) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Ssend | 11 send 1 5 w 8 | 63 < | 99 <
                1: 0 > m | 20 > MPI_Irecv | 21 receive_begin 1 | 23 < | 60 > MPI_Wait | 61 receive_end 0 5 w 8 1 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits,
            (Waits{{"mpi_latereceiver 0 m > MPI_Ssend", 10}, {"mpi_lateprogress 0 m > MPI_Ssend", 37}}));
}

TEST(LateProgress, OnlyOutsideOfMpi) {
  // The receiver is in another call until 40.
  Script script(2);
  script.Add(R"(0: 0 > m | 5 > MPI_Isend | 6 send_begin 1 5 w 8 1 | 7 < | 10 > MPI_Wait | 62 send_end 1 | 63 < | 99 <
                1: 0 > m | 1 > MPI_Irecv | 2 receive_begin 1 | 3 < | 8 > MPI_Probe | 40 < | 60 > MPI_Wait | 61 receive_end 0 5 w 8 1 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_lateprogress 0 m > MPI_Wait", 20}}));
}

TEST(LateProgress, ATestIsNoWait) {
  Script script(2);
  script.Add(R"(0: 0 > m | 5 > MPI_Isend | 6 send_begin 1 5 w 8 1 | 7 < | 10 > MPI_Wait | 62 send_end 1 | 63 < | 99 <
                1: 0 > m | 1 > MPI_Irecv | 2 receive_begin 1 | 3 < | 60 > MPI_Test | 61 receive_end 0 5 w 8 1 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

TEST(LateProgress, MessagesThatGoAloneNeedNoReceiver) {
  // The first message goes while the receiver computes. The second one is not larger, so it does not need the receiver
  // either.
  Script script(2);
  script.Add(
      R"(0: 0 > m | 3 > MPI_Isend | 4 send_begin 1 5 w 8 1 | 4 < | 5 > MPI_Wait | 8 send_end 1 | 9 < | 12 > MPI_Isend | 13 send_begin 1 5 w 8 2 | 14 < | 15 > MPI_Wait | 62 send_end 2 | 63 < | 99 <
                1: 0 > m | 1 > MPI_Irecv | 2 receive_begin 1 | 3 < | 10 > MPI_Wait | 10 receive_end 0 5 w 8 1 | 11 < | 11 > MPI_Irecv | 11 receive_begin 2 | 12 < | 60 > MPI_Wait | 61 receive_end 0 5 w 8 2 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

TEST(LateProgress, MessagesThatMovedInAnotherCallNeedTheirReceiver) {
  // The first message may have moved in the first MPI_Wait, after which its sender came back. So the second one counts.
  Script script(2);
  script.Add(
      R"(0: 0 > m | 2 > MPI_Isend | 2 send_begin 1 5 w 8 1 | 3 < | 4 > MPI_Wait | 8 send_end 1 | 9 < | 13 > MPI_Isend | 13 send_begin 1 5 w 8 2 | 14 < | 15 > MPI_Wait | 62 send_end 2 | 63 < | 99 <
                1: 0 > m | 1 > MPI_Irecv | 1 receive_begin 1 | 2 < | 6 > MPI_Wait | 7 < | 10 > MPI_Wait | 10 receive_end 0 5 w 8 1 | 11 < | 11 > MPI_Irecv | 11 receive_begin 2 | 12 < | 60 > MPI_Wait | 61 receive_end 0 5 w 8 2 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_lateprogress 0 m > MPI_Wait", 45}}));
}

TEST(LateProgress, OfAnOperationThatIsNotBlocking) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 10 > MPI_Wait | 62 collective_end MPI_Iallreduce w -1 4 4 1 | 63 < | 99 <
                1: 0 > m | 4 > MPI_Iallreduce | 5 collective_begin MPI_Iallreduce 1 | 6 < | 60 > MPI_Wait | 61 collective_end MPI_Iallreduce w -1 4 4 1 | 62 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_lateprogress 0 m > MPI_Wait", 50}}));
}

TEST(LateProgress, OperationsThatGoAloneNeedNobody) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 4 > MPI_Wait | 7 collective_end MPI_Iallreduce w -1 4 4 1 | 8 < | 12 > MPI_Iallreduce | 13 collective_begin MPI_Iallreduce 2 | 14 < | 15 > MPI_Wait | 62 collective_end MPI_Iallreduce w -1 4 4 2 | 63 < | 99 <
                1: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 9 > MPI_Wait | 10 collective_end MPI_Iallreduce w -1 4 4 1 | 11 < | 12 > MPI_Iallreduce | 13 collective_begin MPI_Iallreduce 2 | 14 < | 60 > MPI_Wait | 61 collective_end MPI_Iallreduce w -1 4 4 2 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

TEST(LateProgress, OperationsThatMovedInAnotherCallNeedOthers) {
  // The first message may have moved while the other process was in MPI_Probe.
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 4 > MPI_Wait | 7 collective_end MPI_Iallreduce w -1 4 4 1 | 8 < | 12 > MPI_Iallreduce | 13 collective_begin MPI_Iallreduce 2 | 14 < | 15 > MPI_Wait | 62 collective_end MPI_Iallreduce w -1 4 4 2 | 63 < | 99 <
                1: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 4 > MPI_Probe | 6 < | 9 > MPI_Wait | 10 collective_end MPI_Iallreduce w -1 4 4 1 | 11 < | 12 > MPI_Iallreduce | 13 collective_begin MPI_Iallreduce 2 | 14 < | 60 > MPI_Wait | 61 collective_end MPI_Iallreduce w -1 4 4 2 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_lateprogress 0 m > MPI_Wait", 45}}));
}

}  // namespace
}  // namespace epik::patterns
