// SPDX-License-Identifier: BSD-3-Clause
// Processes that give data wait until others take it, in the approximation, too: the root of a broadcast, those that
// are not the root of a reduction, and who sends a message that the receiver takes in another call.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "analysis/approximation/forward.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"

namespace epik::approximation {
namespace {

using replay::Script;

// A share of the time in `work` is saved.
class Less : public Change {
 public:
  Less(const Script& script, double share) : script_(script), share_(share) {}
  double SavedShare(uint32_t, uint32_t path) const override {
    return script_.PathName(path).ends_with("work") ? share_ : 0;
  }

 private:
  const Script& script_;
  const double share_;
};

// How long the run takes when a share of all work is saved.
double Lasts(const char* text, double share, int ranks = 2) {
  Script script(ranks);
  script.Add(text);
  const graph::Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  std::vector<uint32_t> leaders;
  for (uint32_t l = 0; l < made.graph->locations(); ++l) leaders.push_back(l);
  const Times times = Forward(*made.graph, leaders, Transfers(*made.graph), Less(script, share), Rules());
  EXPECT_EQ(times.forced, 0u);
  return times.Lasted();
}

void Halved(const char* text, double whole, double half, int ranks = 2) {
  EXPECT_NEAR(Lasts(text, 0, ranks), whole, 0.5);
  EXPECT_NEAR(Lasts(text, 0.5, ranks), half, 0.5);
}

TEST(Takers, OfABroadcast) {
  Halved(
      R"(0: 0 > m | 10 > MPI_Bcast | 10 collective_begin MPI_Bcast 0 | 109 collective_end MPI_Bcast w 0 8 0 0 | 110 < | 120 <
         1: 0 > m | 0 > work | 100 < | 100 > MPI_Bcast | 100 collective_begin MPI_Bcast 0 | 109 collective_end MPI_Bcast w 0 0 8 0 | 110 < | 120 <)",
      120, 70);
}

TEST(Takers, OfAReduction) {
  Halved(
      R"(0: 0 > m | 10 > MPI_Reduce | 10 collective_begin MPI_Reduce 0 | 109 collective_end MPI_Reduce w 1 8 0 0 | 110 < | 120 <
         1: 0 > m | 0 > work | 100 < | 100 > MPI_Reduce | 100 collective_begin MPI_Reduce 0 | 109 collective_end MPI_Reduce w 1 0 8 0 | 110 < | 120 <)",
      120, 70);
}

TEST(Takers, OfAScan) {
  Halved(
      R"(0: 0 > m | 10 > MPI_Scan | 10 collective_begin MPI_Scan 0 | 109 collective_end MPI_Scan w -1 8 8 0 | 110 < | 120 <
         1: 0 > m | 0 > work | 100 < | 100 > MPI_Scan | 100 collective_begin MPI_Scan 0 | 109 collective_end MPI_Scan w -1 8 8 0 | 110 < | 120 <)",
      120, 70);
}

// Rank 0 gets data from rank 2 only, but rank 1 takes that of rank 0 before rank 0 goes on.
TEST(Takers, OfMembersThatNeedSomeOnly) {
  Halved(
      R"(0: 0 > m | 10 > MPI_Alltoallv | 10 collective_begin MPI_Alltoallv 0 | 109 collective_peers 2 1 1 0 | 109 collective_end MPI_Alltoallv w -1 8 8 0 | 110 < | 120 <
         1: 0 > m | 0 > work | 100 < | 100 > MPI_Alltoallv | 100 collective_begin MPI_Alltoallv 0 | 109 collective_end MPI_Alltoallv w -1 0 8 0 | 110 < | 120 <
         2: 0 > m | 5 > MPI_Alltoallv | 5 collective_begin MPI_Alltoallv 0 | 8 collective_end MPI_Alltoallv w -1 8 0 0 | 9 < | 9 <)",
      120, 70, 3);
}

// Rank 1 needs all and came last; rank 2 was not the last one that rank 1 needed, until the work is gone.
TEST(Takers, OfDataOfAllComeAfterAll) {
  Halved(
      R"(0: 0 > m | 10 > MPI_Alltoallv | 10 collective_begin MPI_Alltoallv 0 | 12 collective_peers 0 1 1 0 | 12 collective_end MPI_Alltoallv w -1 8 8 0 | 12 < | 12 <
         1: 0 > m | 5 > MPI_Alltoallv | 5 collective_begin MPI_Alltoallv 0 | 108 collective_end MPI_Alltoallv w -1 0 8 0 | 110 < | 120 <
         2: 0 > m | 0 > work | 100 < | 100 > MPI_Alltoallv | 100 collective_begin MPI_Alltoallv 0 | 104 collective_end MPI_Alltoallv w -1 8 0 0 | 104 < | 104 <
         3: 0 > m | 90 > MPI_Alltoallv | 90 collective_begin MPI_Alltoallv 0 | 91 collective_end MPI_Alltoallv w -1 8 0 0 | 92 < | 92 <)",
      120, 110, 4);
}

// Ranks 0 and 1 are one group, rank 2 the other. Rank 0 goes on before rank 1 has come.
TEST(Takers, OfAnotherGroupDoNotAwaitTheirOwn) {
  const auto take = [](int rank, const std::string& before, int begin, int end) {
    const auto text = [](int time) { return std::to_string(time); };
    return text(rank) + ": 0 > m | " + before + text(begin) + " > MPI_Alltoall | " + text(begin) +
           " collective_begin MPI_Alltoall 0 | " + text(end) + " collective_end MPI_Alltoall 2 -1 4 4 0 | " +
           text(end) + " < | " + text(end) + " <\n";
  };
  for (const auto& [share, wanted] : {std::pair{0.0, std::array{25.0, 70.0, 72.0}}, {0.5, {25.0, 50.0, 52.0}}}) {
    Script script(3);
    ASSERT_EQ(script.Group({0, 1}, {2}), 2u);
    script.Add(take(0, "", 10, 25) + take(1, "20 > work | 60 < | ", 60, 70) + take(2, "", 20, 72));
    const graph::Made made = graph::Make(&script);
    const Times times = Forward(*made.graph, {0, 1, 2}, Transfers(*made.graph), Less(script, share), Rules());
    for (uint32_t l = 0; l < 3; ++l) EXPECT_NEAR(times.Lasted(l), wanted[l], 0.5) << share << " " << l;
  }
}

// The root of the first broadcast ends before the other process begins: it does not wait for it in the second one.
TEST(Takers, AreNotAwaitedWhenDataGoesWithoutThem) {
  Halved(
      R"(0: 0 > m | 10 > MPI_Bcast | 10 collective_begin MPI_Bcast 0 | 19 collective_end MPI_Bcast w 0 8 0 0 | 20 < | 90 > MPI_Bcast | 90 collective_begin MPI_Bcast 0 | 109 collective_end MPI_Bcast w 0 8 0 0 | 110 < | 120 <
         1: 0 > m | 25 > MPI_Bcast | 25 collective_begin MPI_Bcast 0 | 29 collective_end MPI_Bcast w 0 0 8 0 | 30 < | 30 > work | 100 < | 100 > MPI_Bcast | 100 collective_begin MPI_Bcast 0 | 109 collective_end MPI_Bcast w 0 0 8 0 | 110 < | 120 <)",
      120, 120);
}

// The root of a broadcast that is not blocking waits until the other process is back in MPI.
TEST(Takers, HaveToComeBackToMpi) {
  Halved(
      R"(0: 0 > m | 1 > MPI_Ibcast | 2 collective_begin MPI_Ibcast 1 | 3 < | 10 > MPI_Wait | 109 collective_end MPI_Ibcast w 0 8 0 1 | 110 < | 120 <
         1: 0 > m | 1 > MPI_Ibcast | 2 collective_begin MPI_Ibcast 1 | 4 < | 4 > work | 104 < | 104 > MPI_Wait | 109 collective_end MPI_Ibcast w 0 0 8 1 | 110 < | 120 <)",
      120, 70);
}

// The first call in which the other process is back does not complete the operation.
TEST(Takers, MayComeBackInAnotherCall) {
  Halved(
      R"(0: 0 > m | 1 > MPI_Ibcast | 2 collective_begin MPI_Ibcast 1 | 3 < | 10 > MPI_Wait | 109 collective_end MPI_Ibcast w 0 8 0 1 | 110 < | 115 > MPI_Send | 115 send 1 5 w 8 | 116 < | 120 <
         1: 0 > m | 1 > MPI_Ibcast | 2 collective_begin MPI_Ibcast 1 | 4 < | 4 > work | 104 < | 104 > MPI_Recv | 117 receive 0 5 w 8 | 118 < | 119 > MPI_Wait | 120 collective_end MPI_Ibcast w 0 0 8 1 | 121 < | 122 <)",
      122, 72);
}

TEST(Takers, MayTakeAMessageInAnotherCall) {
  Halved(
      R"(0: 0 > m | 5 > MPI_Isend | 6 send_begin 1 5 w 8 1 | 7 < | 10 > MPI_Wait | 109 send_end 1 | 110 < | 115 > MPI_Send | 115 send 1 6 w 8 | 116 < | 120 <
         1: 0 > m | 1 > MPI_Irecv | 2 receive_begin 1 | 4 < | 4 > work | 104 < | 104 > MPI_Recv | 117 receive 0 6 w 8 | 118 < | 119 > MPI_Wait | 120 receive_end 0 5 w 8 1 | 121 < | 122 <)",
      122, 72);
}

// A call that completes a message that it sent, and an operation.
TEST(Takers, OfAnOperationBesideAMessage) {
  Halved(
      R"(0: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 5 > MPI_Isend | 6 send_begin 1 5 w 8 2 | 7 < | 10 > MPI_Waitall | 11 send_end 2 | 109 collective_end MPI_Iallreduce w -1 8 8 1 | 110 < | 120 <
         1: 0 > m | 1 > MPI_Iallreduce | 2 collective_begin MPI_Iallreduce 1 | 3 < | 3 > MPI_Recv | 8 receive 0 5 w 8 | 9 < | 9 > work | 109 < | 109 > MPI_Wait | 110 collective_end MPI_Iallreduce w -1 8 8 1 | 110 < | 120 <)",
      120, 70);
}

}  // namespace
}  // namespace epik::approximation
