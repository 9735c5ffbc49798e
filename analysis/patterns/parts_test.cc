// SPDX-License-Identifier: BSD-3-Clause
// The message of a partitioned send goes when the program has marked its last part as ready.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

const std::string kStart = "0: 0 > m | 1 > MPI_Start | 2 send_mode 4 | 2 send_begin 1 5 w 8 3 | 3 < | ";
const std::string kReady = "40 > MPI_Pready | 41 send_ready 3 | 42 < | ";
const std::string kWait = "50 > MPI_Wait | 51 send_end 3 | 52 < | 99 <";
const std::string kReceive =
    "1: 0 > m | 5 > MPI_Start | 6 receive_posted 0 5 w 1 | 7 < | 10 > MPI_Wait | 45 receive_end 0 5 w 8 1 | 46 < | 99 "
    "<";

Found WithLines(std::initializer_list<std::string> lines, bool partial = false) {
  Script script(2);
  for (const std::string& line : lines) script.Add(line);
  if (partial) script.Partial(0);
  return Look(&script);
}

TEST(Parts, TheLastOneIsLate) {
  const Waits waits = {{"mpi_latesender 1 m > MPI_Wait", 30}};
  for (const Found& found :
       {WithLines({kStart + kReady + kWait, kReceive}),
        WithLines({kStart + kWait, "0.1: 0 > m | " + kReady + "60 <", kReceive}),
        WithLines({kStart + "40 > MPI_Pready_range | 41 send_ready 3 | 42 < | " + kWait, kReceive})}) {
    EXPECT_EQ(found.waits, waits);
    EXPECT_EQ(found.unmatched.Total(), 0u);
    EXPECT_EQ(found.totals.messages, 1u);
    EXPECT_EQ(found.totals.violations, 0u);
  }
}

TEST(Parts, TheirTurnIsThatOfTheStart) {
  const Found found = WithLines(
      {"0: 0 > m | 1 > MPI_Start | 2 send_mode 4 | 2 turn 7 | 2 send_begin 1 5 w 8 3 | 3 < | " + kReady + kWait,
       "1: 0 > m | 5 > MPI_Start | 6 receive_posted 0 5 w 1 | 7 < | 10 > MPI_Wait | 45 turn 7 | 45 receive_end 0 5 w 8 "
       "1 | 46 < | 99 <"},
      /*partial=*/true);
  EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Wait", 30}}));
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// The thread that marks the last part is not in the trace.
TEST(Parts, WithoutARecordTheSendBeginsWithItsStart) {
  const std::string late = "0: 0 > m | 15 > MPI_Start | 16 send_mode 4 | 16 send_begin 1 5 w 8 3 | 17 < | ";
  for (const std::string& end : {kWait, std::string("50 > MPI_Request_free | 51 request_freed 3 | 52 < | 99 <")}) {
    const Found found = WithLines({late + end, kReceive});
    EXPECT_EQ(found.waits, (Waits{{"mpi_latesender 1 m > MPI_Wait", 5}})) << end;
    EXPECT_EQ(found.unmatched.Total(), 0u) << end;
  }
}

TEST(Parts, AStartThatIsRefusedOrNeverReadyIsNoMessage) {
  const std::string refused =
      "0: 0 > m | 1 > MPI_Start | 2 send_mode 4 | 2 send_begin 1 5 w 8 3 | 2 send_refused 3 | 3 < | ";
  const Found again = WithLines({refused + kStart.substr(11) + kReady + kWait, kReceive});
  EXPECT_EQ(again.waits, (Waits{{"mpi_latesender 1 m > MPI_Wait", 30}}));
  EXPECT_EQ(again.unmatched.Total(), 0u);
  const Found never = WithLines({kStart + "99 <", kReceive});
  EXPECT_EQ(never.waits, Waits{});
  EXPECT_EQ(never.totals.messages, 0u);
}

TEST(Parts, TheWaitOfTheSenderIsForTheReceiver) {
  const Found found = WithLines({kStart + kReady + "50 > MPI_Wait | 85 send_end 3 | 86 < | 99 <",
                                 "1: 0 > m | 80 > MPI_Start | 81 receive_posted 0 5 w 1 | 82 < | 83 > MPI_Wait | 85 "
                                 "receive_end 0 5 w 8 1 | 86 < | 99 <"});
  EXPECT_EQ(found.waits, (Waits{{"mpi_latereceiver 0 m > MPI_Wait", 30}, {"mpi_lateprogress 0 m > MPI_Wait", 1}}));
}

}  // namespace
}  // namespace epik::patterns
