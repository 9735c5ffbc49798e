// SPDX-License-Identifier: BSD-3-Clause
// Scripts contain receives that the program posted early, and say which message each of them gets. They also contain
// persistent sends.
#include <gtest/gtest.h>

#include <tuple>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

TEST(Posted, MessagesGoToReceivesInTheOrderOfPosting) {
  // The second receive is completed first: it gets the message of 50.
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted 1 5 w 1 | 3 < | 4 > MPI_Irecv | 5 receive_posted 1 5 w 2 | 6 < | 30 > MPI_Wait | 52 receive_end 1 5 w 8 2 | 53 < | 60 > MPI_Wait | 61 receive_end 1 5 w 8 1 | 62 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 50 > MPI_Send | 51 send 0 5 w 8 | 52 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 0 m > MPI_Wait", 20},
                                {"mpi_latesender_wo 0 m > MPI_Wait", 20},
                                {"mpi_lswo_same 0 m > MPI_Wait", 20}}));
  EXPECT_EQ(found.totals.messages, 2u);
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Posted, WhoTakesAnyMessageComesFirst) {
  // A receive of any message was posted before, so a blocking one of tag 5 gets the second message.
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted -1 -1 w 1 | 3 < | 30 > MPI_Recv | 52 receive 1 5 w 8 | 53 < | 60 > MPI_Wait | 61 receive_end 1 5 w 8 1 | 62 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 50 > MPI_Send | 51 send 0 5 w 8 | 52 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 20},
                                        {"mpi_latesender_wo 0 m > MPI_Recv", 20},
                                        {"mpi_lswo_same 0 m > MPI_Recv", 20}}));
}

TEST(Posted, WhatTakesAnotherTagDoesNotMatter) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted 1 6 w 1 | 3 < | 10 > MPI_Recv | 22 receive 1 5 w 8 | 23 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 10}}));
}

TEST(Posted, ACancelledOneIsOutOfTheWay) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted 1 5 w 1 | 3 < | 10 > MPI_Recv | 22 receive 1 5 w 8 | 23 < | 30 > MPI_Wait | 31 request_cancelled 1 | 32 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 10}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// The message that 1 sends at 20 belongs to the freed receive, so 0 waits for the next one.
TEST(Posted, AFreedOneHasItsMessageAllTheSame) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted 1 5 w 1 | 3 < | 4 > MPI_Request_free | 5 request_freed 1 | 6 < | 10 > MPI_Recv | 52 receive 1 5 w 8 | 53 < | 60 > MPI_Recv | 82 receive 1 5 w 8 | 83 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 50 > MPI_Send | 51 send 0 5 w 8 | 52 < | 80 > MPI_Send | 81 send 0 5 w 8 | 82 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 60}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
  EXPECT_EQ(found.totals.violations, 0u);
}

// The program frees the second of two open receives. The freed receive gets the second message.
TEST(Posted, AFreedOneWaitsForThoseBeforeIt) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted 1 5 w 1 | 3 < | 4 > MPI_Irecv | 5 receive_posted 1 5 w 2 | 6 < | 7 > MPI_Request_free | 8 request_freed 2 | 9 < | 10 > MPI_Wait | 22 receive_end 1 5 w 8 1 | 23 < | 60 > MPI_Recv | 82 receive 1 5 w 8 | 83 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 50 > MPI_Send | 51 send 0 5 w 8 | 52 < | 80 > MPI_Send | 81 send 0 5 w 8 | 82 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 0 m > MPI_Wait", 10}, {"mpi_latesender 0 m > MPI_Recv", 20}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// It accepts messages of several channels. A record tells, in any later call, that it got the message of 20; from -1:
// nobody learns it, or the trace ends before.
TEST(Posted, AFreedOneMayTellItsMessageLater) {
  const std::string posted = "0: 0 > m | 1 > MPI_Irecv | 2 receive_posted ";
  const std::string freed = " w 1 | 3 < | 4 > MPI_Request_free | 5 request_freed 1 | 6 < | ";
  const std::string sends =
      "1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 50 > MPI_Send | 51 send 0 5 w 8 | 52 < | 80 > MPI_Send | 81 "
      "send 0 5 w 8 | 82 < | 99 <";
  const auto receives = [](const std::string& first, const std::string& second) {
    return "10 > MPI_Recv | " + first + "52 receive 1 5 w 8 | 53 < | 60 > MPI_Recv | " + second +
           "82 receive 1 5 w 8 | 83 < | 99 <";
  };
  const std::string told = "freed_received 1 5 w 1 | ", untold = "52 freed_received -1 -1 w 1 | ";
  for (const std::string accepts : {"-1 5", "1 -1", "-1 -1"}) {
    for (const auto& [first, second, wait] :
         {std::tuple("52 " + told, std::string(), 60), std::tuple(std::string(), "82 " + told, 60),
          std::tuple(untold, std::string(), 10), std::tuple(std::string(), std::string(), 10)}) {
      Script script(2);
      script.Add(posted + accepts + freed + receives(first, second));
      script.Add(sends);
      const Found found = Look(&script);
      EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", wait}})) << accepts << first << second;
      const bool is_known = wait == 60;
      EXPECT_EQ(found.unmatched.Total(), is_known ? 0u : 1u) << accepts << first << second;
      EXPECT_EQ(found.totals.violations, 0u);
    }
  }
}

TEST(Posted, AFreedOneTellsItsTurn) {
  Script script(2);
  script.Partial(1);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted -1 5 w 1 | 3 < | 4 > MPI_Request_free | 5 request_freed 1 | 6 < | 10 > MPI_Recv | 52 turn 1 | 52 freed_received 1 5 w 1 | 52 turn 2 | 52 receive 1 5 w 8 | 53 < | 99 <
         1: 0 > m | 20 > MPI_Send | 20 turn 1 | 21 send 0 5 w 8 | 22 < | 50 > MPI_Send | 50 turn 2 | 51 send 0 5 w 8 | 52 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 40}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Posted, OneThatNeverEndsHoldsNobodyForEver) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_posted 1 5 w 1 | 3 < | 10 > MPI_Recv | 22 receive 1 5 w 8 | 23 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 5 w 8 | 22 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 10}}));
}

// The first message tells that a standard send of this size does not wait for its receive.
TEST(Persistent, ASynchronousSendWaitsForItsReceive) {
  for (const std::string mode : {"", "7 send_mode 1 | ", "7 send_mode 2 | ", "7 send_mode 3 | ", "7 send_mode 9 | "}) {
    replay::Script script(2);
    script.Add(
        "0: 0 > m | 1 > MPI_Send | 2 send 1 5 w 8 | 3 < | 6 > MPI_Start | " + mode +
        "7 send_begin 1 5 w 8 3 | 8 < | 10 > MPI_Wait | 44 send_end 3 | 45 < | 99 <\n" +
        "1: 0 > m | 30 > MPI_Recv | 31 receive 0 5 w 8 | 32 < | 40 > MPI_Recv | 43 receive 0 5 w 8 | 44 < | 99 <");
    const bool is_synchronous = mode == "7 send_mode 1 | ";
    EXPECT_EQ(Look(&script).waits, is_synchronous ? (Waits{{"mpi_latereceiver 0 m > MPI_Wait", 30}}) : Waits{}) << mode;
  }
}

// Its end tells that a message of this size needs no receive.
TEST(Immediate, ASendThatIsOverAtOnceDoesNotWait) {
  for (const char* call : {"MPI_Isend", "MPI_Issend", "MPI_Start"}) {
    Script script(2);
    script.Add("0: 0 > m | 10 > " + std::string(call) + " | 11 send_begin 1 5 w 8 4 | 15 send_end 4 | 20 < | 99 <");
    script.Add("1: 0 > m | 14 > MPI_Recv | 18 receive 0 5 w 8 | 19 < | 99 <");
    EXPECT_EQ(Look(&script).waits, Waits{}) << call;
  }
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Isend | 11 send_begin 1 5 w 8 4 | 12 send_end 4 | 13 < | 30 > MPI_Send | 31 send 1 5 w 8 | 50 < | 99 <
         1: 0 > m | 20 > MPI_Recv | 21 receive 0 5 w 8 | 22 < | 40 > MPI_Recv | 45 receive 0 5 w 8 | 46 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

}  // namespace
}  // namespace epik::patterns
