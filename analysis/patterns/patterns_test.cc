// SPDX-License-Identifier: BSD-3-Clause
// Each wait state, in a short trace with numbers that can be added up by eye.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Kind;
using replay::Reason;
using replay::Script;

TEST(LateSender, LastsUntilTheSendBegins) {
  Script script(2);
  script.Add(R"(0: 0 > m | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 61 receive 0 5 w 8 | 62 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 40}}));
  EXPECT_EQ(found.totals.messages, 1u);
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(LateSender, IsTheWaitsOfANonBlockingReceive) {
  Script script(2);
  script.Add(R"(0: 0 > m | 50 > MPI_Isend | 51 send_begin 1 5 w 8 1 | 52 < | 53 > MPI_Wait | 54 send_end 1 | 55 < | 99 <
                1: 0 > m | 5 > MPI_Irecv | 6 receive_begin 7 | 7 < | 30 > MPI_Wait | 58 receive_end 0 5 w 8 7 | 60 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 1 m > MPI_Wait", 20}}));
}

TEST(LateSender, OfSeveralTheLastCounts) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Irecv | 2 receive_begin 1 | 3 < | 4 > MPI_Irecv | 5 receive_begin 2 | 6 < | 10 > MPI_Waitall | 70 receive_end 1 0 w 4 1 | 71 receive_end 2 0 w 4 2 | 72 < | 99 <
                1: 0 > m | 40 > MPI_Send | 41 send 0 0 w 4 | 42 < | 99 <
                2: 0 > m | 65 > MPI_Send | 66 send 0 0 w 4 | 67 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 0 m > MPI_Waitall", 55}}));
  EXPECT_EQ(found.instances.begin()->second, 1u);
}

TEST(LateSender, NothingWhereTheSendCameFirst) {
  Script script(2);
  script.Add(R"(0: 0 > m | 5 > MPI_Send | 6 send 1 5 w 8 | 7 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 30 receive 0 5 w 8 | 31 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

TEST(LateSender, IsTheProbesThatWaited) {
  Script script(2);
  script.Add(R"(0: 0 > m | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 99 <
                1: 0 > m | 10 > MPI_Probe | 61 < | 62 > MPI_Recv | 63 receive 0 5 w 8 | 64 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 1 m > MPI_Probe", 40}}));
}

TEST(LateSender, ProbesKnowTheirMessages) {
  // The second message is received first: its probe did not wait.
  Script script(2);
  script.Add(R"(0: 0 > m | 20 > MPI_Send | 21 send 1 6 w 8 | 22 < | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 99 <
                1: 0 > m | 10 > MPI_Probe | 60 probe 0 5 w 8 | 61 < | 62 > MPI_Irecv | 63 receive_posted 0 6 w 3 | 64 < | 65 > MPI_Wait | 66 receive_end 0 6 w 8 3 | 67 < | 70 > MPI_Recv | 71 receive 0 5 w 8 | 72 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits.at("mpi_latesender 1 m > MPI_Probe"), 40);
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(LateSender, ClocksThatAreWrongMatchAllTheSame) {
  Script script(2);
  script.Add(R"(0: 0 > m | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 40 receive 0 5 w 8 | 42 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 32}}));
  EXPECT_EQ(found.totals.violations, 1u);
  EXPECT_EQ(found.totals.worst_violation_ns, 11);
}

TEST(WrongOrder, TheOtherMessageWasThere) {
  Script script(3);
  script.Add(R"(0: 0 > m | 10 > MPI_Recv | 71 receive 1 0 w 4 | 72 < | 80 > MPI_Recv | 81 receive 2 0 w 4 | 82 < | 99 <
                1: 0 > m | 65 > MPI_Send | 66 send 0 0 w 4 | 67 < | 99 <
                2: 0 > m | 20 > MPI_Send | 21 send 0 0 w 4 | 22 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 55},
                                        {"mpi_latesender_wo 0 m > MPI_Recv", 55},
                                        {"mpi_lswo_different 0 m > MPI_Recv", 55}}));
}

TEST(WrongOrder, OfOneSourceByTag) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Recv | 71 receive 1 2 w 4 | 72 < | 80 > MPI_Recv | 81 receive 1 1 w 4 | 82 < | 99 <
                1: 0 > m | 20 > MPI_Send | 21 send 0 1 w 4 | 22 < | 65 > MPI_Send | 66 send 0 2 w 4 | 67 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 0 m > MPI_Recv", 55},
                                        {"mpi_latesender_wo 0 m > MPI_Recv", 55},
                                        {"mpi_lswo_same 0 m > MPI_Recv", 55}}));
}

TEST(LateReceiver, OfASynchronousSend) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Ssend | 11 send 1 5 w 8 | 45 < | 99 <
                1: 0 > m | 40 > MPI_Recv | 46 receive 0 5 w 8 | 47 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Ssend", 30}}));
}

TEST(LateReceiver, WhatWasBufferedDidNotWait) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Send | 2 send 1 5 w 8 | 3 < | 10 > MPI_Send | 11 send 1 5 w 8 | 50 < | 99 <
                1: 0 > m | 30 > MPI_Recv | 31 receive 0 5 w 8 | 32 < | 40 > MPI_Recv | 60 receive 0 5 w 8 | 61 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

// The second message is received first, but the first one was sent when no message had gone without its receive.
TEST(LateReceiver, BeforeALargerOneWasBuffered) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Send | 11 send 1 5 w 8 | 50 < | 60 > MPI_Send | 61 send 1 6 w 9 | 70 < | 99 <
                1: 0 > m | 40 > MPI_Irecv | 41 receive_begin 1 | 42 < | 80 > MPI_Recv | 81 receive 0 6 w 9 | 82 < | 90 > MPI_Wait | 91 receive_end 0 5 w 8 1 | 92 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Send", 30}}));
}

TEST(LateReceiver, WhatAnotherThreadOfTheProcessReceivesLateTellsTheSize) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Send | 2 send 1 5 w 8 | 3 < | 10 > MPI_Send | 11 send 1 6 w 8 | 50 < | 99 <
                1: 0 > m | 20 > MPI_Recv | 21 receive 0 5 w 8 | 22 < | 99 <
                1.1: 0 > m | 30 > MPI_Recv | 60 receive 0 6 w 8 | 61 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

// Calls wait for their turn behind one whose message nobody receives, but not very many.
TEST(LateReceiver, BehindAMessageThatIsNeverReceived) {
  std::string sender = "0: 0 > m | 10 > MPI_Send | 11 send 1 5 w 8 | 12 <", receiver = "1: 0 > m";
  constexpr int kSends = 3000;
  for (int i = 0; i < kSends; ++i) {
    const auto at = [i](int ns) { return std::to_string(100 + 10 * i + ns); };
    sender += " | " + at(0) + " > MPI_Ssend | " + at(1) + " send 1 6 w 8 | " + at(4) + " < | " + at(4) +
              " > MPI_Recv | " + at(8) + " receive 1 7 w 8 | " + at(9) + " <";
    receiver += " | " + at(2) + " > MPI_Recv | " + at(3) + " receive 0 6 w 8 | " + at(4) + " < | " + at(5) +
                " > MPI_Ssend | " + at(6) + " send 0 7 w 8 | " + at(7) + " <";
  }
  Script script(2);
  script.Add(sender + " | 99999 <\n" + receiver + " | 99999 <");
  Found found = Look(&script);
  EXPECT_EQ(found.waits["mpi_latereceiver 0 m > MPI_Ssend"], 2 * kSends);
  EXPECT_EQ(found.unmatched.Total(), 1u);
  EXPECT_LT(found.totals.most_messages, 1100u);
}

TEST(LateReceiver, OfAnMpiWait) {
  Script script(2);
  script.Add(R"(0: 0 > m | 5 > MPI_Isend | 6 send_begin 1 5 w 8 1 | 7 < | 10 > MPI_Wait | 49 send_end 1 | 50 < | 99 <
                1: 0 > m | 40 > MPI_Irecv | 41 receive_begin 1 | 42 < | 42 > MPI_Wait | 51 receive_end 0 5 w 8 1 | 52 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Wait", 30}}));
}

TEST(Sendrecv, BothSidesWait) {
  // The call waits for its message until 30, and from then on until 45 for the receiver of its own message.
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Sendrecv | 11 send 1 1 w 8 | 60 receive 1 2 w 8 | 61 < | 99 <
                1: 0 > m | 30 > MPI_Ssend | 31 send 0 2 w 8 | 40 < | 45 > MPI_Recv | 60 receive 0 1 w 8 | 62 < | 99 <)");
  EXPECT_EQ(Look(&script).waits,
            (Waits{{"mpi_latesender 0 m > MPI_Sendrecv", 20}, {"mpi_latereceiver 0 m > MPI_Sendrecv", 15}}));
}

TEST(Barrier, WaitAndCompletion) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 60 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 99 <
                1: 0 > m | 50 > MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 55 collective_end MPI_Barrier w -1 0 0 0 | 56 < | 99 <)");
  EXPECT_EQ(Look(&script).waits,
            (Waits{{"mpi_barrier_wait 0 m > MPI_Barrier", 40}, {"mpi_barrier_completion 0 m > MPI_Barrier", 5}}));
}

TEST(NxN, WhoGetsNothingDoesNotWait) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Alltoallv | 11 collective_begin MPI_Alltoallv 0 | 60 collective_end MPI_Alltoallv w -1 4 4 0 | 61 < | 99 <
                1: 0 > m | 20 > MPI_Alltoallv | 21 collective_begin MPI_Alltoallv 0 | 30 collective_end MPI_Alltoallv w -1 4 0 0 | 31 < | 99 <
                2: 0 > m | 50 > MPI_Alltoallv | 51 collective_begin MPI_Alltoallv 0 | 60 collective_end MPI_Alltoallv w -1 4 4 0 | 61 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_wait_nxn 0 m > MPI_Alltoallv", 40}}));
}

TEST(Rooted, BroadcastAndReduce) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 40 > MPI_Bcast | 41 collective_begin MPI_Bcast 0 | 44 collective_end MPI_Bcast w 0 8 0 0 | 45 < | 50 > MPI_Reduce | 51 collective_begin MPI_Reduce 0 | 90 collective_end MPI_Reduce w 0 8 8 0 | 91 < | 99 <
                1: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0 | 46 collective_end MPI_Bcast w 0 0 8 0 | 47 < | 60 > MPI_Reduce | 61 collective_begin MPI_Reduce 0 | 70 collective_end MPI_Reduce w 0 8 0 0 | 71 < | 99 <
                2: 0 > m | 42 > MPI_Bcast | 43 collective_begin MPI_Bcast 0 | 46 collective_end MPI_Bcast w 0 0 8 0 | 47 < | 80 > MPI_Reduce | 81 collective_begin MPI_Reduce 0 | 90 collective_end MPI_Reduce w 0 8 0 0 | 91 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latebroadcast 1 m > MPI_Bcast", 30},
                                        {"mpi_earlyreduce 0 m > MPI_Reduce", 10},
                                        {"mpi_earlyreduce_last 0 m > MPI_Reduce", 20}}));
}

TEST(NonBlocking, TheWaitIsCharged) {
  for (const std::string begin : {"MPI_Iallreduce", "MPI_Allreduce_init", "MPIX_Allreduce_init"}) {
    Script script(2);
    script.Add("0: 0 > m | 1 > " + begin + " | 2 collective_begin " + begin +
               " 1 | 3 < | 10 > MPI_Wait | 55 collective_end " + begin + " w -1 4 4 1 | 56 < | 99 <\n1: 0 > m | 50 > " +
               begin + " | 51 collective_begin " + begin + " 1 | 52 < | 52 > MPI_Wait | 56 collective_end " + begin +
               " w -1 4 4 1 | 57 < | 99 <");
    EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_wait_nxn 0 m > MPI_Wait", 41}})) << begin;
  }
}

TEST(NonBlocking, CompletedInAnotherOrderThanBegun) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Ibarrier | 2 collective_begin MPI_Ibarrier 1 | 3 < | 4 > MPI_Ibcast | 5 collective_begin MPI_Ibcast 2 | 6 < | 10 > MPI_Wait | 55 collective_end MPI_Ibcast w 1 0 4 2 | 56 < | 57 > MPI_Wait | 58 collective_end MPI_Ibarrier w -1 0 0 1 | 59 < | 99 <
                1: 0 > m | 20 > MPI_Ibarrier | 21 collective_begin MPI_Ibarrier 1 | 22 < | 50 > MPI_Ibcast | 51 collective_begin MPI_Ibcast 2 | 52 < | 53 > MPI_Wait | 56 collective_end MPI_Ibarrier w -1 0 0 1 | 57 < | 60 > MPI_Wait | 61 collective_end MPI_Ibcast w 1 4 0 2 | 62 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latebroadcast 0 m > MPI_Wait", 41}}));
}

TEST(Job, InitAndFinalize) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Init | 20 < | 40 > MPI_Finalize
                1: 0 > m | 5 > MPI_Init | 26 < | 70 > MPI_Finalize)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_init_wait 0 m > MPI_Init", 4},
                                        {"mpi_init_completion 1 m > MPI_Init", 6},
                                        {"mpi_finalize_wait 0 m > MPI_Finalize", 30}}));
}

TEST(Partial, ARankIsMissing) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Recv | 60 receive 2 0 w 8 | 61 < | 62 > MPI_Barrier | 63 collective_begin MPI_Barrier 0 | 80 collective_end MPI_Barrier w -1 0 0 0 | 81 < | 99 <
                1: 0 > m | 62 > MPI_Barrier | 63 collective_begin MPI_Barrier 0 | 80 collective_end MPI_Barrier w -1 0 0 0 | 81 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Of(Kind::kReceive, Reason::kNotTraced), 1u);
  EXPECT_EQ(found.unmatched.Of(Kind::kCollective, Reason::kNotTraced), 2u);
}

TEST(Partial, ASendWithoutAReceiveAndTheOtherWayRound) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Send | 11 send 1 1 w 8 | 12 < | 20 > MPI_Recv | 25 receive 1 9 w 8 | 26 < | 30 > MPI_Send | 31 send 1 2 w 8 | 32 < | 99 <
                1: 0 > m | 15 > MPI_Recv | 35 receive 0 2 w 8 | 36 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 15}}));
  EXPECT_EQ(found.unmatched.Of(Kind::kSend, Reason::kNoPartner), 1u);
  EXPECT_EQ(found.unmatched.Of(Kind::kReceive, Reason::kNoPartner), 1u);
}

TEST(Partial, WhatCannotBelongTogetherIsNoPair) {
  // The first send is not in the trace: its receive must not take the second one.
  Script script(2);
  script.Partial(0);
  script.Add(R"(0: 0 > m | 50 > MPI_Send | 51 send 1 1 w 8 | 52 < | 99 <
                1: 0 > m | 5 > MPI_Recv | 11 receive 0 1 w 8 | 12 < | 30 > MPI_Recv | 53 receive 0 1 w 8 | 54 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 20}}));
  EXPECT_EQ(found.unmatched.Of(Kind::kReceive, Reason::kOutOfStep), 1u);
}

TEST(Partial, BarriersFindTheirStepAgain) {
  // Rank 0 has one barrier more than rank 1, from before the trace of rank 1 begins.
  Script script(2);
  script.Partial(1);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 14 collective_end MPI_Barrier w -1 0 0 0 | 15 < | 20 > MPI_Barrier | 21 collective_begin MPI_Barrier 0 | 60 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 99 <
                1: 0 > m | 50 > MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 60 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_barrier_wait 0 m > MPI_Barrier", 30}}));
  EXPECT_EQ(found.unmatched.Of(Kind::kCollective, Reason::kOutOfStep), 1u);
}

// If records say which message they belong to, their order decides nothing.
TEST(Turns, MessagesOfWhichOneSideIsMissingShiftNoOthers) {
  Script script(2);
  script.Partial(0);
  script.Partial(1);
  // Rank 1 did not log the receive of message 1, and rank 0 not the send of message 4. Message 3 ends before message 2.
  script.Add(
      R"(0: 0 > m | 10 > MPI_Send | 11 turn 1 | 11 send 1 1 w 8 | 12 < | 20 > MPI_Send | 21 turn 2 | 21 send 1 1 w 8 | 22 < | 60 > MPI_Send | 61 turn 3 | 61 send 1 1 w 8 | 62 < | 99 <
         1: 0 > m | 15 > MPI_Irecv | 16 receive_posted 0 1 w 1 | 16 < | 17 > MPI_Irecv | 18 receive_posted 0 1 w 2 | 18 < | 30 > MPI_Wait | 63 turn 3 | 63 receive_end 0 1 w 8 2 | 64 < | 65 > MPI_Wait | 66 turn 2 | 66 receive_end 0 1 w 8 1 | 67 < | 70 > MPI_Recv | 75 turn 4 | 75 receive 0 1 w 8 | 76 < | 99 <)");
  const Found found = Look(&script);
  // Message 2 was there before the wait for message 3 began.
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Wait", 30},
                                {"mpi_latesender_wo 1 m > MPI_Wait", 30},
                                {"mpi_lswo_same 1 m > MPI_Wait", 30}}));
  EXPECT_EQ(found.unmatched.Of(Kind::kSend, Reason::kOutOfStep), 1u);
  EXPECT_EQ(found.unmatched.Of(Kind::kReceive, Reason::kOutOfStep), 1u);
}

TEST(Turns, AMessageThatEpikDoesNotKnowIsGuessedOnlyWhereNothingIsMissing) {
  for (const bool partial : {false, true}) {
    Script script(2);
    if (partial) script.Partial(0);
    script.Add(
        R"(0: 0 > m | 40 > MPI_Send | 41 turn 1 | 41 send 1 1 w 8 | 42 < | 99 <
           1: 0 > m | 10 > MPI_Recv | 43 turn 0 | 43 receive 0 1 w 8 | 44 < | 99 <)");
    const Found found = Look(&script);
    EXPECT_EQ(found.waits, partial ? Waits{} : (Waits{{"mpi_latesender 1 m > MPI_Recv", 30}}));
    EXPECT_EQ(found.unmatched.Of(Kind::kReceive, Reason::kOutOfStep), partial ? 1u : 0u);
  }
}

TEST(Turns, ASendWaitsForNoReceiveThatIsOver) {
  // The message of another sender, which is later than one without a send.
  Script script(3);
  for (int r = 0; r < 3; ++r) script.Partial(r);
  script.Add(
      R"(0: 0 > m | 50 > MPI_Send | 51 turn 7 | 51 send 1 1 w 8 | 52 < | 99 <
         1: 0 > m | 10 > MPI_Recv | 12 turn 6 | 12 receive 0 1 w 8 | 13 < | 20 > MPI_Recv | 53 turn 7 | 53 receive 0 1 w 8 | 54 < | 55 > MPI_Recv | 81 turn 1 | 81 receive 2 1 w 8 | 82 < | 99 <
         2: 0 > m | 80 > MPI_Send | 80 turn 1 | 80 send 1 1 w 8 | 81 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 30 + 25}}));
  EXPECT_EQ(found.unmatched.Of(Kind::kReceive, Reason::kOutOfStep), 1u);
}

// Until their traces are switched off, they have all messages, and nobody counts. Rank 0 is switched off before message
// 2 and on after message 3, rank 1 off after message 2 and on before message 4.
TEST(Turns, FromTheFirstGapOnMessagesAreCounted) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Send | 11 send 1 1 w 8 | 12 < | 15 switched 0 | 45 switched 1 | 60 > MPI_Send | 61 turn_since 3 | 61 send 1 1 w 8 | 62 < | 99 <
         1: 0 > m | 5 > MPI_Recv | 12 receive 0 1 w 8 | 13 < | 14 > MPI_Recv | 25 receive 0 1 w 8 | 26 < | 27 switched 0 | 48 switched 1 | 50 > MPI_Recv | 63 turn_since 2 | 63 receive 0 1 w 8 | 64 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 5 + 10}}));
  EXPECT_EQ(found.unmatched.Of(Kind::kSend, Reason::kOutOfStep), 0u);
  EXPECT_EQ(found.unmatched.Total(), 1u) << "message 2 was received";
}

TEST(Turns, FromTheFirstGapOnOperationsAreCounted) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 21 collective_end MPI_Barrier w -1 0 0 0 | 21 < | 22 switched 0 | 52 switched 1 | 53 > MPI_Barrier | 53 collective_begin MPI_Barrier 0 | 70 turn_since 2 | 70 collective_end MPI_Barrier w -1 0 0 0 | 71 < | 99 <
         1: 0 > m | 20 > MPI_Barrier | 20 collective_begin MPI_Barrier 0 | 21 collective_end MPI_Barrier w -1 0 0 0 | 22 < | 30 > MPI_Barrier | 30 collective_begin MPI_Barrier 0 | 40 collective_end MPI_Barrier w -1 0 0 0 | 41 < | 42 switched 0 | 44 switched 1 | 60 > MPI_Barrier | 61 collective_begin MPI_Barrier 0 | 70 turn_since 1 | 70 collective_end MPI_Barrier w -1 0 0 0 | 71 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_barrier_wait 0 m > MPI_Barrier", 9 + 8}}));
}

TEST(Turns, OperationsOfWhichAProcessIsMissingShiftNoOthers) {
  Script script(2);
  script.Partial(1);
  // Barriers that seem to belong together: the second one of rank 0 and the first one of rank 1.
  script.Add(
      R"(0: 0 > m | 10 > MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 55 turn 1 | 55 collective_end MPI_Barrier w -1 0 0 0 | 55 < | 56 > MPI_Barrier | 56 collective_begin MPI_Barrier 0 | 70 turn 2 | 70 collective_end MPI_Barrier w -1 0 0 0 | 71 < | 99 <
         1: 0 > m | 50 > MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 70 turn 2 | 70 collective_end MPI_Barrier w -1 0 0 0 | 71 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_barrier_wait 1 m > MPI_Barrier", 5}}));
}

TEST(Msgs, WithoutCallsCollectivesAreKnownAndReceivesAreCounted) {
  Script script(2);
  script.Add(
      R"(0: 10 at MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0 | 70 at MPI_Send | 71 send 1 0 w 8
                1: 50 at MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0 | 75 at MPI_Recv | 75 receive 0 0 w 8)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"mpi_barrier_wait 0 MPI_Barrier", 40}}));
  EXPECT_EQ(found.totals.messages, 1u);
  EXPECT_EQ(found.unmatched.Of(Kind::kReceive, Reason::kCallNotLogged), 1u);
}

TEST(Threads, OneProcessHasOneOrder) {
  // Two threads of rank 0 send on one channel: the message that is first by their clock is received first.
  Script script(2);
  script.Add(R"(0: 0 > m | 50 > MPI_Send | 51 send 1 1 w 8 | 52 < | 99 <
                0.1: 0 > t | 20 > MPI_Send | 21 send 1 1 w 8 | 22 < | 99 <
                1: 0 > m | 5 > MPI_Recv | 23 receive 0 1 w 8 | 24 < | 30 > MPI_Recv | 53 receive 0 1 w 8 | 54 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latesender 1 m > MPI_Recv", 15 + 20}}));
}

TEST(Team, BarriersInsideAndAtTheEnd) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 6 fork x 1 | 7 team_begin 0 1 0 | 10 > omp_ebarrier | 11 barrier | 32 < | 40 team_end 1 | 40 > omp_ibarrier | 41 barrier | 71 < | 72 join 1 | 73 < | 99 <
                0.1: 8 > omp | 9 team_begin 0 1 1 | 30 > omp_ebarrier | 31 barrier | 33 < | 70 team_end 1 | 70 > omp_ibarrier | 70 barrier | 71 < | 72 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"omp_ebarrier_wait 0 m > omp > omp_ebarrier", 20},
                                        {"omp_ibarrier_wait 0 m > omp > omp_ibarrier", 30}}));
}

TEST(Team, OfAnotherSizeEachTime) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 6 fork x 1 | 7 team_begin 0 1 0 | 10 team_end 1 | 10 > omp_ibarrier | 11 barrier | 21 < | 22 join 1 | 23 < | 30 > omp | 31 fork x 2 | 32 team_begin 0 2 0 | 33 team_end 2 | 34 > omp_ibarrier | 35 barrier | 36 < | 37 join 2 | 38 < | 40 > omp | 41 fork x 3 | 42 team_begin 0 3 0 | 50 team_end 3 | 50 > omp_ibarrier | 51 barrier | 71 < | 72 join 3 | 73 < | 99 <
                0.1: 8 > omp | 9 team_begin 0 1 1 | 20 team_end 1 | 20 > omp_ibarrier | 20 barrier | 21 < | 22 < | 43 > omp | 44 team_begin 0 3 1 | 60 team_end 3 | 60 > omp_ibarrier | 61 barrier | 71 < | 72 <
                0.2: 43 > omp | 44 team_begin 0 3 2 | 70 team_end 3 | 70 > omp_ibarrier | 70 barrier | 71 < | 72 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"omp_ibarrier_wait 0 m > omp > omp_ibarrier", 10 + 20},
                                {"omp_ibarrier_wait 0 omp > omp_ibarrier", 10}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// The trace has two threads of a team of three, so it does not show when the third one came.
TEST(Team, OfWhichTheTraceLacksOneWaitsUntilItGoesOn) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 6 fork x 1 | 7 team_begin 0 1 0 | 8 team_size 1 3 | 10 > omp_ebarrier | 11 barrier | 15 > h | 20 < | 72 < | 99 <
         0.1: 9 > t | 9 team_begin 0 1 1 | 30 > omp_ebarrier | 31 barrier | 73 < | 99 <)");
  EXPECT_EQ(Look(&script).waits,
            (Waits{{"omp_ebarrier_wait 0 m > omp_ebarrier", 57}, {"omp_ebarrier_wait 0 t > omp_ebarrier", 43}}));
}

TEST(Team, TasksInABarrierAreNoWaiting) {
  Script script(1);
  script.Add(R"(0: 0 > m | 7 team_begin 0 1 0 | 10 > omp_ebarrier | 11 barrier | 15 > task | 25 < | 32 < | 99 <
                0.1: 9 team_begin 0 1 1 | 30 > omp_ebarrier | 31 barrier | 33 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"omp_ebarrier_wait 0 m > omp_ebarrier", 10}}));
}

TEST(Locks, TheHolderIsWaitedFor) {
  Script script(1);
  script.Add(R"(0: 0 > m | 10 > omp_critical | 11 lock_acquire 7 1 | 40 lock_release 7 1 | 41 < | 99 <
                0.1: 0 > t | 20 > omp_critical | 42 lock_acquire 7 2 | 50 lock_release 7 2 | 51 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"omp_lock_contention_critical 0 t > omp_critical", 20}}));
}

TEST(Locks, AReleaseMayBeWrittenLate) {
  Script script(1);
  script.Add(R"(0: 0 > m | 10 > omp_lock_api | 11 lock_acquire 7 1 | 12 < | 44 lock_release 7 1 | 99 <
                0.1: 0 > t | 20 > omp_lock_api | 42 lock_acquire 7 2 | 43 < | 50 lock_release 7 2 | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"omp_lock_contention_api 0 t > omp_lock_api", 22}}));
}

// Each iteration waits for the one before it. The first one of the loop waits for nothing.
TEST(Iterations, TheOneBeforeIsWaitedFor) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 team_begin 0 1 0 | 6 > omp_ordered | 7 iteration_needed 3 -1 | 8 < | 40 iteration_done 3 0 | 50 > omp_ordered | 71 iteration_needed 3 1 | 72 < | 80 iteration_done 3 2 | 99 <
                0.1: 0 > t | 5 team_begin 0 1 1 | 20 > omp_ordered | 42 iteration_needed 3 0 | 43 < | 70 iteration_done 3 1 | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"omp_lock_contention_ordered 0 m > omp_ordered", 20},
                                {"omp_lock_contention_ordered 0 t > omp_ordered", 20}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// Another team executes the same loop.
TEST(Iterations, OfAnotherTeamIsAnotherOne) {
  Script script(1);
  script.Add(R"(0: 0 > m | 5 team_begin 0 1 0 | 40 iteration_done 3 0 | 99 <
                0.1: 0 > t | 5 team_begin 1 1 0 | 20 > omp_ordered | 42 iteration_needed 3 0 | 43 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{}));
}

TEST(Mutexes, WaitUntilTheyHaveIt) {
  Script script(1);
  script.Add(R"(0: 0 > m | 99 <
                0.1: 0 > t | 20 > pthread_lock_api | 21 lock_wanted 7 0 | 42 lock_got 7 | 43 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"pthread_lock_contention_mutex_lock 0 t > pthread_lock_api", 22}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Mutexes, MayGiveUp) {
  Script script(1);
  script.Add(R"(0: 0 > m | 99 <
                0.1: 0 > t | 20 > pthread_lock_api | 21 lock_wanted 7 0 | 43 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_lock_contention_mutex_lock 0 t > pthread_lock_api", 23}}));
}

TEST(Mutexes, WithoutACallSayThatItIsNotThere) {
  Script script(1);
  script.Add(R"(0: 0 > m | 99 <
                0.1: 20 at pthread_lock_api | 21 lock_wanted 7 0 | 42 at pthread_lock_api | 42 lock_got 7)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Of(Kind::kLock, Reason::kCallNotLogged), 1u);
}

TEST(Joins, WaitUntilTheOtherOneEnded) {
  Script script(1);
  script.Add(R"(0: 0 > m | 1 thread_create 1 | 20 > pthread_management | 21 join_wanted 1 | 45 join_got 1 | 46 < | 99 <
                0.1: 5 > t | 6 thread_begin 1 | 40 thread_end 1 | 41 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"pthread_join_wait 0 m > pthread_management", 20}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Joins, OfAnEndedThreadWaitForNobody) {
  Script script(1);
  script.Add(R"(0: 0 > m | 1 thread_create 1 | 50 > pthread_management | 51 join_wanted 1 | 55 join_got 1 | 56 < | 99 <
                0.1: 5 > t | 6 thread_begin 1 | 40 thread_end 1 | 41 <)");
  EXPECT_EQ(Look(&script).waits, Waits{});
}

// The end of a thread that is not measured is unknown. A call that gives up has waited nevertheless.
TEST(Joins, MayNotKnowForWhom) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 20 > pthread_management | 21 join_wanted 0 | 45 join_got 0 | 46 < | 50 > pthread_management | 51 join_wanted 7 | 60 < | 99 <
         0.1: 5 > t | 41 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_join_wait 0 m > pthread_management", 35}}));
}

TEST(Joins, WithoutACallSayThatItIsNotThere) {
  Script script(1);
  script.Add(
      R"(0: 1 at m | 1 thread_create 1 | 20 at pthread_management | 21 join_wanted 1 | 45 at pthread_management | 45 join_got 1
         0.1: 6 at t | 6 thread_begin 1 | 40 at t | 40 thread_end 1)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Of(Kind::kLock, Reason::kCallNotLogged), 1u);
}

// 1 waits until 40 for the signal, and then for the mutex: until 45 for 0, and for 2, which got it before.
TEST(Conditions, WaitForTheSignalAndThenForTheMutex) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 40 signal 5 0 | 99 <
         0.1: 0 > t | 20 > pthread_conditional | 21 signal_wanted 5 6 | 60 signal_got 5 1 | 61 < | 99 <
         0.2: 0 > t | 42 > pthread_lock_api | 43 lock_wanted 6 0 | 45 lock_got 6 | 46 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"pthread_condition_wait 0 t > pthread_conditional", 20},
                                {"pthread_lock_contention_mutex_lock 0 t > pthread_conditional", 20},
                                {"pthread_lock_contention_mutex_lock 0 t > pthread_lock_api", 3}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// One signal wakes one thread, a broadcast wakes all threads that wait.
TEST(Conditions, HaveASignalForEachOrOneForAll) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 signal 5 0 | 40 signal 5 0 | 50 signal 5 1 | 99 <
         0.1: 0 > t | 20 > pthread_conditional | 20 signal_wanted 5 6 | 45 signal_got 5 1 | 45 < | 99 <
         0.2: 0 > u | 20 > pthread_conditional | 20 signal_wanted 5 6 | 55 signal_got 5 1 | 55 < | 99 <
         0.3: 0 > v | 48 > pthread_conditional | 48 signal_wanted 5 6 | 56 signal_got 5 1 | 56 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_condition_wait 0 t > pthread_conditional", 20},
                                        {"pthread_condition_wait 0 u > pthread_conditional", 30},
                                        {"pthread_condition_wait 0 v > pthread_conditional", 2},
                                        {"pthread_lock_contention_mutex_lock 0 t > pthread_conditional", 5},
                                        {"pthread_lock_contention_mutex_lock 0 u > pthread_conditional", 5},
                                        {"pthread_lock_contention_mutex_lock 0 v > pthread_conditional", 6}}));
}

TEST(Conditions, MayBeLeftWithoutASignal) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 70 signal 5 0 | 99 <
         0.1: 0 > t | 20 > pthread_conditional | 20 signal_wanted 5 6 | 45 signal_got 5 0 | 45 < | 49 > f | 50 > pthread_conditional | 50 signal_wanted 5 6 | 60 signal_got 5 1 | 60 < | 70 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_condition_wait 0 t > pthread_conditional", 25},
                                        {"pthread_condition_wait 0 t > f > pthread_conditional", 10}}));
}

// Another thread took the first post without a wait. A word in memory has no mutex: the time of its call after the
// signal is no waiting.
TEST(Conditions, WordsInMemoryHaveNoMutex) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > change | 50 signal 5 1 | 60 < | 99 <
         0.1: 0 > t | 20 > pthread_conditional | 20 signal_wanted 5 0 | 55 signal_got 5 1 | 56 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_condition_wait 0 t > pthread_conditional", 30}}));
}

TEST(Semaphores, WaitForTheLastPostThatMayBeTheirs) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 30 signal 5 0 | 50 signal 5 0 | 99 <
         0.1: 0 > t | 20 > pthread_semaphore | 20 signal_wanted 5 0 | 55 signal_got 5 1 | 56 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_semaphore_wait 0 t > pthread_semaphore", 30}}));
}

// The next round begins before the first one is left.
TEST(Once, WaitsUntilItIsDone) {
  Script script(1);
  script.Add(
      R"(0: 0 > t | 10 > pthread_management | 10 signal_wanted 5 0 | 62 signal_got 5 1 | 63 < | 99 <
         0.1: 0 > m | 5 > make | 58 < | 60 signal 5 1 | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_once_wait 0 t > pthread_management", 50}}));
}

TEST(Barriers, OfThreadsWaitForTheLastOne) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > pthread_barrier | 10 thread_barrier 5 2 | 33 < | 99 <
         0.1: 0 > t | 30 > pthread_barrier | 30 thread_barrier 5 2 | 36 < | 99 <
         0.2: 0 > t | 32 > pthread_barrier | 32 thread_barrier 5 2 | 53 < | 99 <
         0.3: 0 > t | 50 > pthread_barrier | 50 thread_barrier 5 2 | 53 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, (Waits{{"pthread_barrier_wait 0 m > pthread_barrier", 20},
                                {"pthread_barrier_wait 0 t > pthread_barrier", 18}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Barriers, OfWhichTheTraceHasSomeThreadsLastAsLongAsTheyDo) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > pthread_barrier | 10 thread_barrier 5 3 | 43 < | 99 <
         0.1: 0 > t | 30 > pthread_barrier | 30 thread_barrier 5 3 | 46 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"pthread_barrier_wait 0 m > pthread_barrier", 33},
                                        {"pthread_barrier_wait 0 t > pthread_barrier", 16}}));
}

TEST(Signals, WithoutACallSayThatItIsNotThere) {
  Script script(1);
  script.Add(
      R"(0: 40 at m | 40 signal 5 0 | 50 at pthread_barrier | 50 thread_barrier 7 2
         0.1: 20 at pthread_conditional | 20 signal_wanted 5 6 | 60 at pthread_conditional | 60 signal_got 5 1 | 70 at pthread_barrier | 70 thread_barrier 7 2)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Of(Kind::kLock, Reason::kCallNotLogged), 1u);
  EXPECT_EQ(found.unmatched.Of(Kind::kBarrier, Reason::kCallNotLogged), 2u);
}

TEST(Patterns, HaveAllTheirWords) {
  for (const PatternInfo* info : AllPatterns()) {
    for (const char* text : {info->name, info->label, info->definition, info->explanation, info->advice}) {
      EXPECT_NE(std::string(text), "") << info->name;
    }
    EXPECT_EQ(std::string(info->definition).back(), '.') << info->name;
  }
}

}  // namespace
}  // namespace epik::patterns
