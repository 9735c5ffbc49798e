// SPDX-License-Identifier: BSD-3-Clause
// MPI_Buffer_detach waits until the messages of MPI_Bsend have left the program's buffer.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

constexpr char kDetach[] = "10 > MPI_Buffer_detach | 44 buffer_empty | 45 < | 99 <";
constexpr char kReceives[] = "1: 0 > m | 40 > MPI_Recv | 43 receive 0 5 w 8 | 44 < | 99 <";

Found WithSends(const std::string& sends, const std::string& receives = kReceives) {
  Script script(2);
  script.Add("0: 0 > m | " + sends + kDetach);
  script.Add(receives);
  return Look(&script);
}

TEST(Buffered, ADetachWaitsForTheLateReceiver) {
  const Waits waits = {{"mpi_latereceiver 0 m > MPI_Buffer_detach", 30}};
  for (const char* sends :
       {"1 > MPI_Bsend | 2 send 1 5 w 8 | 3 < | ",
        "1 > MPI_Ibsend | 2 send_begin 1 5 w 8 4 | 3 < | 4 > MPI_Wait | 5 send_end 4 | 6 < | ",
        "1 > MPI_Ibsend | 2 send_begin 1 5 w 8 4 | 3 < | ",
        "1 > MPI_Start | 2 send_mode 2 | 2 send_begin 1 5 w 8 4 | 3 < | 4 > MPI_Wait | 5 send_end 4 | 6 < | "}) {
    const Found found = WithSends(sends);
    EXPECT_EQ(found.waits, waits) << sends;
    EXPECT_EQ(found.unmatched.Total(), 0u) << sends;
  }
  const Found other_mode = WithSends("1 > MPI_Isend | 2 send_begin 1 5 w 8 4 | 3 < | ");
  EXPECT_EQ(other_mode.waits, Waits{});
}

TEST(Buffered, ADetachWaitsForTheMessagesOfAllThreads) {
  Script script(2);
  script.Add("0: 0 > m | " + std::string(kDetach));
  script.Add("0.1: 0 > m | 1 > MPI_Bsend | 2 send 1 5 w 8 | 3 < | 99 <");
  script.Add(kReceives);
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Buffer_detach", 30}}));
}

// The receiver asked for the message, and then computed until 40.
TEST(Buffered, ADetachWaitsForAReceiverThatIsNotInMpi) {
  const Found found = WithSends(
      "1 > MPI_Bsend | 2 send 1 5 w 8 | 3 < | ",
      R"(1: 0 > m | 1 > MPI_Irecv | 2 receive_posted 0 5 w 1 | 3 < | 40 > MPI_Wait | 43 receive_end 0 5 w 8 1 | 44 < | 99 <)");
  EXPECT_EQ(found.waits, (Waits{{"mpi_lateprogress 0 m > MPI_Buffer_detach", 30}}));
}

TEST(Buffered, MessagesThatWentWithoutTheirReceiveTellThatNoSmallerOneWaits) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Bsend | 2 send 1 5 w 8 | 3 < | 4 > MPI_Buffer_detach | 5 buffer_empty | 6 < | 20 > MPI_Bsend | 21 send 1 5 w 8 | 22 < | 23 > MPI_Bsend | 24 send 1 6 w 9 | 25 < | 30 > MPI_Buffer_detach | 90 buffer_empty | 91 < | 99 <
         1: 0 > m | 10 > MPI_Recv | 11 receive 0 5 w 8 | 12 < | 60 > MPI_Recv | 61 receive 0 6 w 9 | 62 < | 80 > MPI_Recv | 81 receive 0 5 w 8 | 82 < | 99 <)");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Buffer_detach", 30}}));
}

// Standard sends of the same size may wait all the same, and a message that MPI refused was never in the buffer.
TEST(Buffered, OtherModesAreTheirOwn) {
  const Found found = WithSends(
      "1 > MPI_Bsend | 1 send 1 5 w 8 | 1 send_refused 0 | 2 < | 2 > MPI_Ibsend | 2 send_begin 1 5 w 8 3 | 2 "
      "send_refused 3 | 3 < | "
      "3 > MPI_Send | 4 send 1 5 w 8 | 9 < | ");
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

// Most are received at once. The program takes its buffer back only once.
TEST(Buffered, AmongManyMessagesTheLateOneCounts) {
  std::string sends, receives = "1: 0 > m | ";
  constexpr int kMessages = 1000;
  int64_t ns = 1;
  for (int i = 0; i < kMessages; ++i, ns += 10) {
    const auto at = [ns](int after) { return std::to_string(ns + after) + " "; };
    const bool is_late = i == kMessages / 2;
    sends += at(0) + "> MPI_Bsend | " + at(1) + "send 1 " + (is_late ? "6" : "5") + " w 8 | " + at(2) + "< | ";
    if (!is_late) receives += at(3) + "> MPI_Recv | " + at(4) + "receive 0 5 w 8 | " + at(5) + "< | ";
  }
  const auto at = [ns](int after) { return std::to_string(ns + after) + " "; };
  Script script(2);
  script.Add("0: 0 > m | " + sends + at(10) + "> MPI_Buffer_detach | " + at(50) + "buffer_empty | " + at(51) + "< | " +
             at(52) + "<");
  script.Add(receives + at(40) + "> MPI_Recv | " + at(41) + "receive 0 6 w 8 | " + at(42) + "< | " + at(43) + "<");
  EXPECT_EQ(Look(&script).waits, (Waits{{"mpi_latereceiver 0 m > MPI_Buffer_detach", 30}}));
}

}  // namespace
}  // namespace epik::patterns
