// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI that fail.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

TEST(Refused, OperationsAreNoneThatLackTheirEnd) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0 | 12 < | 99 <
         1: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0 | 12 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Refused, OperationsThatBreakOffLackTheirEnd) {
  replay::Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0
                1: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0)");
  EXPECT_EQ(Look(&script).unmatched.Total(), 2u);
}

// Rank 0 tries again after MPI has refused it, and comes late with that message.
void ExpectLateBy(int64_t ns, const std::string& sender) {
  replay::Script script(2);
  script.Add(sender);
  script.Add("1: 0 > m | 15 > MPI_Recv | 52 receive 0 5 w 8 | 53 < | 60 > MPI_Recv | 82 receive 0 5 w 8 | 83 < | 99 <");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", ns}})) << sender;
  EXPECT_EQ(found.unmatched.Total(), 0u) << sender;
  EXPECT_EQ(found.totals.messages, 2u) << sender;
}

constexpr char kGoodSends[] = "50 > MPI_Send | 51 send 1 5 w 8 | 52 < | 80 > MPI_Send | 81 send 1 5 w 8 | 82 < | 99 <";

TEST(Refused, SendsAreNoMessages) {
  const std::string good = kGoodSends;
  ExpectLateBy(55, "0: 0 > m | 10 > MPI_Send | 11 send 1 5 w 8 | 12 send_refused 0 | 13 < | " + good);
  ExpectLateBy(55, "0: 0 > m | 20 > MPI_Send | 21 send 1 5 w 8 | 22 send_refused 0 | 23 < | " + good);
  ExpectLateBy(55, "0: 0 > m | 10 > MPI_Isend | 11 send_begin 1 5 w 8 4 | 12 send_refused 4 | 13 < | " + good);
  ExpectLateBy(55, "0: 0 > m | 10 > MPI_Start | 11 send_begin 1 5 w 8 4 | 12 send_refused 4 | 13 < | " + good);
  ExpectLateBy(55, "0: 0 > m | 10 > MPI_Sendrecv | 11 send 1 5 w 16 | 12 send_refused 0 | 13 < | " + good);
}

TEST(Refused, AnErrorHandlerMayRunBeforeTheRecord) {
  const std::string good = kGoodSends;
  ExpectLateBy(
      55,
      "0: 0 > m | 10 > MPI_Send | 11 send 1 5 w 8 | 12 > handler | 13 > f | 14 < | 15 < | 16 send_refused 0 | 17 < | " +
          good);
}

TEST(Refused, ARecordWithoutASendIsNothing) {
  const std::string good = kGoodSends;
  ExpectLateBy(55, "0: 0 > m | 10 send_refused 0 | 11 send_refused 7 | " + good);
  ExpectLateBy(55, "0: 0 > m | 10 > MPI_Send | 11 send_refused 0 | 12 < | " + good);
}

TEST(Refused, TheNextSendHasTheTurn) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Send | 11 turn 1 | 11 send 1 5 w 8 | 12 send_refused 0 | 13 < | 50 > MPI_Send | 51 turn 1 | 51 send 1 5 w 8 | 52 < | 99 <
         1: 0 > m | 15 > MPI_Recv | 52 turn 1 | 52 receive 0 5 w 8 | 53 < | 99 <)");
  script.Partial(0);
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 35}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// The receiver goes on whenever the sender has gone through 65,536 events, be it in the midst of a call or not.
TEST(Refused, NobodyReceivesItMeanwhile) {
  for (int before = 0; before < 4; ++before) {
    std::string sender = "0: 0 > m";
    int ns = 1;
    const auto say = [&](const std::string& what) { sender += " | " + std::to_string(ns++) + " " + what; };
    for (int i = 0; i < before; ++i) say("parameter p 1");
    for (int i = 0; i < 17'000; ++i) {
      for (const char* what : {"> MPI_Send", "send 1 5 w 8", "send_refused 0", "<"}) say(what);
    }
    for (const char* what : {"> MPI_Send", "send 1 5 w 8", "<", "<"}) say(what);
    replay::Script script(2);
    script.Add(sender);
    const std::string end = std::to_string(ns + 2);
    script.Add("1: 0 > m | 1 > MPI_Recv | " + end + " receive 0 5 w 8 | " + end + " < | " + end + " <");
    const Found found = Look(&script);
    EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", ns - 5}})) << before;
    EXPECT_EQ(found.totals.messages, 1u) << before;
  }
}

// The root of the first operation failed before the other one came. Both are together in the second one.
TEST(Failed, WhoFailedWaitedForNobody) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Gather | 11 collective_begin MPI_Gather 0 | 20 collective_failed | 20 collective_end MPI_Gather w 0 0 0 0 | 21 < | 60 > MPI_Barrier | 61 collective_begin MPI_Barrier 0 | 71 collective_end MPI_Barrier w -1 0 0 0 | 72 < | 99 <
                1: 0 > m | 50 > MPI_Gather | 51 collective_begin MPI_Gather 0 | 52 collective_end MPI_Gather w 0 8 0 0 | 53 < | 70 > MPI_Barrier | 70 collective_begin MPI_Barrier 0 | 71 collective_end MPI_Barrier w -1 0 0 0 | 72 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.totals.violations, 0u);
  EXPECT_EQ(found.unmatched.Total(), 0u);
  EXPECT_EQ(found.totals.collectives, 2u);
  EXPECT_EQ(found.waits, (Waits{{"mpi_barrier_wait 0 m > MPI_Barrier", 9}}));
}

}  // namespace
}  // namespace epik::patterns
