// SPDX-License-Identifier: BSD-3-Clause
// Checks graphs of short traces by eye, and graphs of random programs and of noise by the properties that each graph
// has.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_noise.h"
#include "analysis/replay/test_program.h"

namespace epik::graph {
namespace {

using replay::Script;

// "10-62 MPI_Recv <- 0.1 10..50", after the segment before it: "main 10 (1)".
std::string Show(const Graph& graph, const Script& script, uint32_t location) {
  std::string text;
  for (uint32_t p = 0; p < graph.size(location); ++p) {
    const Point& point = graph.At({location, p});
    for (const Cell& cell : graph.Segment(point)) {
      text += (cell.path == kNone ? "?" : script.PathName(cell.path)) + " " + std::to_string(cell.ns) + " (" +
              std::to_string(cell.visits) + ")\n";
    }
    constexpr const char* kKinds[] = {"", "idle", "fork", "release", "split", "end"};
    text += std::to_string(point.begin) + "-" + std::to_string(point.end) + " ";
    text += point.kind == PointKind::kCall ? script.PathName(point.path) : kKinds[static_cast<int>(point.kind)];
    graph.ForEachEdge(point, [&](const Edge& edge) {
      text += " <- ";
      text += edge.partner.IsKnown() ? std::to_string(edge.partner.location) + "." + std::to_string(edge.partner.point)
                                     : "?";
      if (edge.Waited() > 0) text += " " + std::to_string(edge.from) + ".." + std::to_string(edge.to);
    });
    text += "\n";
  }
  return text;
}

TEST(Graph, OfAMessage) {
  Script script(2);
  script.Add(R"(0: 0 > m | 20 > f | 30 < | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 61 receive 0 5 w 8 | 62 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 0),
            "0-0 idle\nm 40 (1)\nm > f 10 (1)\n50-60 m > MPI_Send\nm 39 (0)\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(Show(*made.graph, script, 1),
            "0-0 idle\nm 10 (1)\n10-62 m > MPI_Recv <- 0.1 10..50\nm 37 (0)\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(made.unplaced, 0u);
}

TEST(Graph, OfASynchronousSend) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Ssend | 11 send 1 5 w 8 | 45 < | 99 <
                1: 0 > m | 40 > MPI_Recv | 46 receive 0 5 w 8 | 47 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 0),
            "0-0 idle\nm 10 (1)\n10-45 m > MPI_Ssend <- 1.1 10..40\nm 54 (0)\n99-99 idle\n99-99 end\n");
}

TEST(Graph, OfABarrierWithATask) {
  Script script(1);
  script.Add(R"(0: 0 > m | 7 team_begin 0 1 0 | 10 > omp_ebarrier | 11 barrier | 15 > task | 25 < | 32 < | 99 <
                0.1: 9 team_begin 0 1 1 | 30 > omp_ebarrier | 31 barrier | 33 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 0),
            "0-0 idle\nm 10 (1)\n10-15 m > omp_ebarrier <- 1.1 10..15\nm > omp_ebarrier > task 10 (1)\n25-32 m > "
            "omp_ebarrier <- 1.1 25..30\nm 67 (0)\n99-99 idle\n99-99 end\n");
}

TEST(Graph, OfATeamAndALock) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 6 fork x 1 | 7 team_begin 0 1 0 | 10 > omp_critical | 11 lock_acquire 7 1 | 12 > f | 40 < | 41 lock_release 7 1 | 42 < | 50 < | 99 <
         0.1: 8 > omp | 9 team_begin 0 1 1 | 20 > omp_critical | 43 lock_acquire 7 2 | 50 lock_release 7 2 | 51 < | 52 <)");
  const Made made = Make(&script);
  EXPECT_EQ(
      Show(*made.graph, script, 0),
      "0-0 idle\nm 5 (1)\nm > omp 1 (1)\n6-6 fork\nm > omp 4 (0)\n10-11 m > omp > omp_critical\nm > omp > "
      "omp_critical 2 (0)\nm > omp > omp_critical > f 28 (1)\n41-41 release\nm > omp > omp_critical 1 (0)\nm > omp "
      "8 (0)\nm 49 (0)\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(Show(*made.graph, script, 1),
            "8-8 idle <- 0.1\nomp 12 (1)\n20-43 omp > omp_critical <- 0.3 20..41\nomp > omp_critical 7 (0)\n50-50 "
            "release\nomp > omp_critical 1 (0)\nomp 1 (0)\n52-52 idle\n52-52 end\n");
}

TEST(Graph, OfMutexes) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > f | 40 < | 99 <
         0.1: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 0 | 42 lock_got 7 | 43 < | 43 > g | 60 < | 99 <
         0.2: 0 > t | 12 > pthread_lock_api | 13 lock_wanted 7 0 | 61 lock_got 7 | 62 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(
      Show(*made.graph, script, 1),
      "0-0 idle\nt 10 (1)\n10-42 t > pthread_lock_api <- 0.0 10..42\nt > pthread_lock_api 1 (0)\n43-43 split\n43-43 "
      "split\nt > g 17 (1)\n60-60 split\nt 39 (0)\n99-99 split\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(
      Show(*made.graph, script, 2),
      "0-0 idle\nt 12 (1)\n12-61 t > pthread_lock_api <- 1.4 42..61 <- 0.0 12..42\nt > pthread_lock_api 1 (0)\n62-62 "
      "split\nt 37 (0)\n99-99 split\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(made.unplaced, 0u);
}

TEST(Graph, OfAMutexThatIsGivenBack) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > f | 40 < | 99 <
         0.1: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 0 | 42 lock_got 7 | 42 mutex_taken 7 1 | 43 < | 50 mutex_released 7 1 | 99 <
         0.2: 0 > t | 12 > pthread_lock_api | 13 lock_wanted 7 0 | 51 lock_got 7 | 52 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 1),
            "0-0 idle\nt 10 (1)\n10-42 t > pthread_lock_api <- 0.0 10..42\nt > pthread_lock_api 1 (0)\nt 7 "
            "(0)\n50-50 release\nt 49 (0)\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(Show(*made.graph, script, 2),
            "0-0 idle\nt 12 (1)\n12-51 t > pthread_lock_api <- 1.2 42..51 <- 0.0 12..42\nt > pthread_lock_api 1 "
            "(0)\n52-52 split\nt 47 (0)\n99-99 split\n99-99 idle\n99-99 end\n");
}

// The program ends while 0.2 waits: first for 0.0, and then for 0.1, which had the mutex after that.
TEST(Graph, OfAMutexThatTheProgramEndsWith) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > f | 40 < | 70 > g
         0.1: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 0 | 42 lock_got 7 | 43 < | 60 > exit
         0.2: 0 > t | 12 > pthread_lock_api | 13 lock_wanted 7 0)");
  script.End(80);
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 2),
            "0-0 idle\nt 12 (1)\n12-80 t > pthread_lock_api <- 1.6 42..80 <- 0.0 12..42\n"
            "80-80 idle\n80-80 end\n");
}

// The leader makes many teams within its part of the outer one before the worker has begun its own part.
TEST(Graph, OfATeamThatAWorkerComesToLate) {
  std::string inner;
  for (int team = 2; team < 42; ++team) {
    const std::string number = std::to_string(team);
    inner += "| 10 fork x " + number + " | 10 join " + number;
  }
  Script script(1);
  script.Add("0: 0 > m | 5 > omp | 6 fork x 1 | 7 team_begin 0 1 0" + inner + "| 96 < | 99 <\n" +
             "0.1: 1 > t | 2 < | 90 > omp | 91 team_begin 0 1 1 | 92 < | 99 > t | 99 <");
  const Made made = Make(&script);
  const Place idle{1, 1};
  EXPECT_EQ(made.graph->At(idle).kind, PointKind::kIdle);
  ASSERT_NE(made.graph->At(idle).edge, kNone);
  const Edge& edge = made.graph->EdgeAt(made.graph->At(idle).edge);
  EXPECT_EQ(edge.partner, (Place{0, 1}));
  EXPECT_EQ(edge.from, 2);
  EXPECT_EQ(edge.to, 6);
}

TEST(Graph, OfThreadsThatBeginAndEnd) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 thread_create 1 | 20 > pthread_management | 21 join_wanted 1 | 45 join_got 1 | 46 < | 99 <
         0.1: 7 > t | 8 thread_begin 1 | 40 thread_end 1 | 40 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 0),
            "0-0 idle\nm 5 (1)\n5-5 fork\nm 15 (0)\n20-45 m > pthread_management <- 1.2 20..40\nm > "
            "pthread_management 1 (0)\nm 53 (0)\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(Show(*made.graph, script, 1), "7-7 idle <- 0.1\nt 33 (1)\n40-40 release\n40-40 idle\n40-40 end\n");
  EXPECT_EQ(made.unplaced, 0u);
}

// With short segments, the work of a thread while it had a lock is not mixed with its later work.
TEST(Graph, OfMutexesHasShortSegments) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 10 > f | 4000000 < | 4000100 > g | 9000000 < | 9000099 <
         0.1: 0 > t | 10 > pthread_lock_api | 10 lock_wanted 7 0 | 4000050 lock_got 7 | 4000060 < | 9000099 <)");
  EXPECT_EQ(Show(*Make(&script).graph, script, 0),
            "0-0 idle\nm 10 (1)\nm > f 3999990 (1)\n4000000-4000000 split\nm 100 (0)\nm > g 4999900 (1)\n"
            "9000000-9000000 split\nm 99 (0)\n9000099-9000099 idle\n9000099-9000099 end\n");
}

// Rank 0 needs its neighbours 1 and 3 in a ring. It does not need 2, which comes last of all.
TEST(Graph, OfNeighboursHasAllOfThem) {
  constexpr const char* kRing =
      R"(0: 0 > m | 10 > MPI_Neighbor_alltoall | 11 collective_begin MPI_Neighbor_alltoall 0 | 60 collective_peers 1 2 2 0 | 60 collective_end MPI_Neighbor_alltoall w -1 8 8 0 | 61 < | 99 <
         1: 0 > m | 50 > MPI_Neighbor_alltoall | 51 collective_begin MPI_Neighbor_alltoall 0 | 80 collective_peers 0 2 2 0 | 80 collective_end MPI_Neighbor_alltoall w -1 8 8 0 | 81 < | 99 <
         2: 0 > m | 70 > MPI_Neighbor_alltoall | 71 collective_begin MPI_Neighbor_alltoall 0 | 80 collective_peers 1 2 2 0 | 80 collective_end MPI_Neighbor_alltoall w -1 8 8 0 | 81 < | 99 <
         3: 0 > m | 40 > MPI_Neighbor_alltoall | 41 collective_begin MPI_Neighbor_alltoall 0 | 80 collective_peers 2 -2 2 0 | 80 collective_end MPI_Neighbor_alltoall w -1 8 8 0 | 81 < | 99 <)";
  Script script(4);
  script.Add(kRing);
  const Made made = Make(&script);
  EXPECT_EQ(
      Show(*made.graph, script, 0),
      "0-0 idle\nm 10 (1)\n10-61 m > MPI_Neighbor_alltoall <- 3.1 <- 1.1 11..51\nm 38 (0)\n99-99 idle\n99-99 end\n");
  EXPECT_EQ(Show(*made.graph, script, 3),
            "0-0 idle\nm 40 (1)\n40-81 m > MPI_Neighbor_alltoall <- 0.1 <- 2.1 41..71\nm 18 (0)\n99-99 idle\n99-99 "
            "end\n");
  EXPECT_EQ(made.unplaced, 0u);
}

TEST(Graph, OfNeighboursThatAnotherCallAwaits) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Ineighbor_allgather | 10 collective_begin MPI_Ineighbor_allgather 7 | 11 collective_peers 1 1 2 7 | 12 collective_posted MPI_Ineighbor_allgather w -1 8 8 7 | 12 < | 20 > MPI_Wait | 60 collective_end MPI_Ineighbor_allgather w -1 8 8 7 | 60 < | 99 <
         1: 0 > m | 50 > MPI_Ineighbor_allgather | 50 collective_begin MPI_Ineighbor_allgather 7 | 51 < | 55 > MPI_Wait | 60 collective_end MPI_Ineighbor_allgather w -1 8 0 7 | 60 < | 99 <
         2: 0 > m | 30 > MPI_Ineighbor_allgather | 30 collective_begin MPI_Ineighbor_allgather 7 | 31 < | 55 > MPI_Wait | 60 collective_end MPI_Ineighbor_allgather w -1 8 0 7 | 60 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(
      Show(*made.graph, script, 0),
      "0-0 idle\nm 10 (1)\n10-12 m > MPI_Ineighbor_allgather\nm 8 (0)\n20-60 m > MPI_Wait <- 2.2 50..55 <- 2.1 <- 1.1 "
      "20..50\nm 39 (0)\n99-99 idle\n99-99 end\n");
}

// Rank 0 needs data of all, rank 1 that of rank 0 only, rank 2 gets none. One edge of rank 0 is for all.
TEST(Graph, OfMembersThatNeedAllAmongOthersThatDoNot) {
  constexpr const char* kBlocking =
      R"(0: 0 > m | 10 > MPI_Alltoallv | 11 collective_begin MPI_Alltoallv 0 | 80 collective_end MPI_Alltoallv w -1 8 8 0 | 80 < | 99 <
         1: 0 > m | 50 > MPI_Alltoallv | 50 collective_begin MPI_Alltoallv 0 | 60 collective_peers 0 1 1 0 | 60 collective_end MPI_Alltoallv w -1 8 8 0 | 60 < | 99 <
         2: 0 > m | 70 > MPI_Alltoallv | 70 collective_begin MPI_Alltoallv 0 | 72 collective_end MPI_Alltoallv w -1 8 0 0 | 72 < | 99 <)";
  constexpr const char* kNonBlocking =
      R"(0: 0 > m | 10 > MPI_Ialltoallv | 10 collective_begin MPI_Ialltoallv 7 | 12 < | 20 > MPI_Wait | 80 collective_end MPI_Ialltoallv w -1 8 8 7 | 80 < | 99 <
         1: 0 > m | 50 > MPI_Ialltoallv | 50 collective_begin MPI_Ialltoallv 7 | 51 collective_peers 0 1 1 7 | 52 < | 55 > MPI_Wait | 60 collective_end MPI_Ialltoallv w -1 8 8 7 | 60 < | 99 <
         2: 0 > m | 70 > MPI_Ialltoallv | 70 collective_begin MPI_Ialltoallv 7 | 71 < | 71 > MPI_Wait | 72 collective_end MPI_Ialltoallv w -1 8 0 7 | 72 < | 99 <)";
  for (const auto& [text, point] : {std::pair{kBlocking, 1u}, {kNonBlocking, 2u}}) {
    Script script(3);
    script.Add(text);
    const Made made = Make(&script);
    std::string needs;
    for (uint32_t l = 0; l < 3; ++l) {
      made.graph->ForEachEdge(made.graph->At({l, point}), [&](const Edge& edge) {
        if (edge.kind != EdgeKind::kMeeting || !edge.partner.IsKnown()) return;
        needs += std::to_string(l) + (edge.from_all ? " all " : " one ") + std::to_string(edge.partner.location) + "\n";
      });
    }
    EXPECT_EQ(needs, "0 all 2\n1 one 0\n") << text;
  }
}

// The edges of a point: the locations that it needs.
std::string Needs(const Graph& graph, Place place) {
  std::string text;
  graph.ForEachEdge(graph.At(place), [&](const Edge& edge) {
    text += " " + std::to_string(edge.partner.location) + "." + std::to_string(edge.partner.point);
  });
  return text;
}

TEST(Graph, OfFences) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Win_fence | 30 window_sync MPI_Win_fence 0 -1 | 31 < | 40 > MPI_Win_fence | 90 window_sync MPI_Win_fence 0 -1 | 91 < | 99 <
                1: 0 > m | 25 > MPI_Win_fence | 30 window_sync MPI_Win_fence 0 -1 | 31 < | 85 > MPI_Win_fence | 90 window_sync MPI_Win_fence 0 -1 | 91 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Needs(*made.graph, {0, 1}), " 1.1");
  EXPECT_EQ(Needs(*made.graph, {1, 1}), " 1.1");
  EXPECT_EQ(Needs(*made.graph, {0, 2}), " 1.2");
  EXPECT_EQ(made.unplaced, 0u);
}

// Rank 0 exposes memory to 1 and 2. The start of rank 1 waited for the post, and that of rank 2 was over before it.
TEST(Graph, OfEpochs) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 20 > MPI_Win_post | 22 window_sync MPI_Win_post 0 1 | 22 window_sync MPI_Win_post 0 2 | 23 < | 30 > MPI_Win_wait | 70 window_sync MPI_Win_wait 0 -1 | 71 < | 99 <
         1: 0 > m | 5 > MPI_Win_start | 25 window_sync MPI_Win_start 0 0 | 25 < | 40 > MPI_Win_complete | 45 window_sync MPI_Win_complete 0 -1 | 46 < | 99 <
         2: 0 > m | 5 > MPI_Win_start | 6 window_sync MPI_Win_start 0 0 | 6 < | 10 > MPI_Win_complete | 66 window_sync MPI_Win_complete 0 -1 | 67 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Needs(*made.graph, {1, 1}), " 0.1");
  EXPECT_EQ(Needs(*made.graph, {1, 2}), " 0.1");
  EXPECT_EQ(Needs(*made.graph, {2, 1}), "");
  EXPECT_EQ(Needs(*made.graph, {2, 2}), " 0.1");
  EXPECT_EQ(Needs(*made.graph, {0, 1}), "");
  const std::string waits = Needs(*made.graph, {0, 2});
  EXPECT_TRUE(waits == " 1.2 2.2" || waits == " 2.2 1.2") << waits;
  EXPECT_EQ(made.unplaced, 0u);
}

// Rank 0 has the lock first. Rank 1 waits for the lock when it asks, rank 2 only when it gives it back; both share it.
// Rank 3 has the lock of another rank.
TEST(Graph, OfLocksOfWindows) {
  Script script(4);
  script.Add(
      R"(0: 0 > m | 1 > MPI_Win_lock | 2 window_lock MPI_Win_lock 0 3 1 | 2 < | 20 > MPI_Win_unlock | 30 window_sync MPI_Win_unlock 0 3 | 31 < | 99 <
         1: 0 > m | 5 > MPI_Win_lock | 25 window_lock MPI_Win_lock 0 3 0 | 25 < | 40 > MPI_Win_unlock | 45 window_sync MPI_Win_unlock 0 3 | 46 < | 99 <
         2: 0 > m | 5 > MPI_Win_lock_all | 6 window_lock MPI_Win_lock_all 0 -1 0 | 6 < | 10 > MPI_Win_unlock_all | 66 window_sync MPI_Win_unlock_all 0 -1 | 67 < | 99 <
         3: 0 > m | 5 > MPI_Win_lock | 6 window_lock MPI_Win_lock 0 2 1 | 6 < | 40 > MPI_Win_unlock | 45 window_sync MPI_Win_unlock 0 2 | 46 < | 70 > MPI_Win_lock | 71 window_lock MPI_Win_lock 0 3 1 | 71 < | 80 > MPI_Win_unlock | 81 window_sync MPI_Win_unlock 0 3 | 82 < | 99 <)");
  const Made made = Make(&script);
  EXPECT_EQ(Needs(*made.graph, {0, 1}), "");
  EXPECT_EQ(Needs(*made.graph, {1, 1}), " 0.2");
  EXPECT_EQ(Needs(*made.graph, {1, 2}), "");
  EXPECT_EQ(Needs(*made.graph, {2, 1}), "");
  const std::string all = Needs(*made.graph, {2, 2});
  EXPECT_TRUE(all == " 3.2 0.2" || all == " 0.2 3.2") << all;
  EXPECT_EQ(Needs(*made.graph, {3, 1}), "");
  const std::string alone = Needs(*made.graph, {3, 3});
  EXPECT_TRUE(alone == " 2.2 1.2" || alone == " 1.2 2.2") << alone;
  EXPECT_EQ(made.unplaced, 0u);
}

TEST(Graph, OfRecordsWithoutCalls) {
  Script script(2);
  script.Add(
      R"(0: 10 at MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0 | 70 at MPI_Barrier | 71 collective_begin MPI_Barrier 0 | 80 at MPI_Barrier | 80 collective_end MPI_Barrier w -1 0 0 0
         1: 50 at MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0 | 75 at MPI_Barrier | 76 collective_begin MPI_Barrier 0 | 80 at MPI_Barrier | 80 collective_end MPI_Barrier w -1 0 0 0)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 0),
            "11-11 idle\n11-60 MPI_Barrier <- 1.1 11..51\n? 11 (0)\n71-80 MPI_Barrier <- 1.2 71..76\n80-80 end\n");
}

// Records of teams and locks tell nothing of calls: the graph is the same as without them.
TEST(Graph, OfRecordsWithoutCallsHasTheWaitsOfProgramsWithTeams) {
  Script script(2);
  script.Add(
      R"(0: 3 fork x 1 | 4 team_begin 0 1 0 | 5 team_end 1 | 6 join 1 | 10 at MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0 | 63 fork x 2 | 64 team_begin 0 2 0 | 65 lock_acquire 7 1 | 66 lock_release 7 1 | 67 team_end 2 | 68 join 2 | 70 at MPI_Barrier | 71 collective_begin MPI_Barrier 0 | 80 at MPI_Barrier | 80 collective_end MPI_Barrier w -1 0 0 0
         0.1: 4 team_begin 0 1 1 | 5 team_end 1 | 64 team_begin 0 2 1 | 65 team_end 2
         1: 50 at MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0 | 75 at MPI_Barrier | 76 collective_begin MPI_Barrier 0 | 80 at MPI_Barrier | 80 collective_end MPI_Barrier w -1 0 0 0)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 0),
            "11-11 idle\n11-60 MPI_Barrier <- 2.1 11..51\n? 11 (0)\n71-80 MPI_Barrier <- 2.2 71..76\n80-80 end\n");
  EXPECT_EQ(Show(*made.graph, script, 1), "4-4 idle\n4-4 end\n");
  EXPECT_EQ(made.unplaced, 0u);
}

TEST(Graph, OfRecordsWithoutCallsHasThoseOfAWorker) {
  Script script(2);
  script.Add(
      R"(0: 3 fork x 1 | 4 team_begin 0 1 0 | 5 team_end 1 | 6 join 1
         0.1: 4 team_begin 0 1 1 | 10 at MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0
         1: 50 at MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 60 at MPI_Barrier | 60 collective_end MPI_Barrier w -1 0 0 0)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 1), "4-4 idle\n? 7 (0)\n11-60 MPI_Barrier <- 2.1 11..51\n60-60 end\n");
  EXPECT_EQ(made.unplaced, 0u);
}

TEST(Graph, FinalizeLastsUntilAllCome) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Init | 20 < | 40 > MPI_Finalize
                1: 0 > m | 5 > MPI_Init | 26 < | 70 > MPI_Finalize)");
  const Made made = Make(&script);
  EXPECT_EQ(Show(*made.graph, script, 0),
            "0-0 idle\nm 1 (1)\n1-20 m > MPI_Init <- 1.1 1..5\nm 20 (0)\n40-70 m > MPI_Finalize <- 1.2 40..70\n70-70 "
            "idle\n70-70 end\n");
}

TEST(Graph, FinalizeOfATraceWithoutCallsIsAWait) {
  Script script(2);
  script.Add(
      R"(0: 10 at MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 20 at MPI_Barrier | 20 collective_end MPI_Barrier w -1 0 0 0 | 40 at MPI_Finalize | 40 collective_call MPI_Finalize w
         1: 10 at MPI_Barrier | 11 collective_begin MPI_Barrier 0 | 20 at MPI_Barrier | 20 collective_end MPI_Barrier w -1 0 0 0 | 70 at MPI_Finalize | 70 collective_call MPI_Finalize w)");
  const Made made = Make(&script);
  EXPECT_EQ(
      Show(*made.graph, script, 0),
      "11-11 idle\n11-20 MPI_Barrier <- 0.1\n? 20 (0)\n40-70 MPI_Finalize <- 1.2 40..70\n70-70 idle\n70-70 end\n");
  EXPECT_EQ(made.unplaced, 0u);
}

// Checks that time has no holes, that waits lie inside their points and do not overlap, and that partners exist.
void ExpectWhole(const Graph& graph) {
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      const Point& point = graph.At({l, p});
      ASSERT_LE(point.begin, point.end);
      if (p > 0) {
        int64_t between = 0;
        for (const Cell& cell : graph.Segment(point)) between += cell.ns;
        ASSERT_EQ(graph.At({l, p - 1}).end + between, point.begin) << l << "." << p;
      }
      int64_t waited = 0;
      graph.ForEachEdge(point, [&](const Edge& edge) {
        if (edge.partner.IsKnown()) {
          ASSERT_LT(edge.partner.point, graph.size(edge.partner.location));
        }
        if (edge.Waited() == 0) return;
        ASSERT_GE(edge.from, point.begin);
        ASSERT_LE(edge.to, point.end);
        waited += edge.Waited();
      });
      ASSERT_LE(waited, point.end - point.begin);
    }
    if (graph.size(l) > 0) {
      ASSERT_EQ(graph.At({l, graph.size(l) - 1}).kind, PointKind::kEnd);
    }
  }
}

TEST(Graph, OfRandomProgramsHasTheirWaits) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const replay::Program program(2 + static_cast<int>(seed % 6), 150, seed);
    Script script(program.ranks());
    program.Write(-1, &script);
    const Made made = Make(&script);
    ExpectWhole(*made.graph);
    EXPECT_EQ(made.unplaced, 0u);
    std::map<std::string, int64_t> found, wanted;
    for (uint32_t l = 0; l < made.graph->locations(); ++l) {
      for (uint32_t p = 0; p < made.graph->size(l); ++p) {
        const Point& point = made.graph->At({l, p});
        made.graph->ForEachEdge(point, [&](const Edge& edge) {
          if (edge.Waited() > 0) found[std::to_string(l) + " " + script.PathName(point.path)] += edge.Waited();
        });
      }
    }
    for (const auto& [name, ns] : program.expected) wanted[name.substr(name.find(' ') + 1)] += ns;
    ASSERT_EQ(found, wanted) << "seed " << seed;
  }
}

TEST(Graph, OfNoiseIsWhole) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const replay::World world = replay::AnyWorld(2 + static_cast<int>(seed % 4), seed);
    ExpectWhole(*Make(world, replay::AnySources(world, seed)).graph);
  }
}

TEST(Graph, InAFileIsTheSame) {
  const replay::Program program(5, 4000, 1);
  Script script(program.ranks());
  program.Write(-1, &script);
  const replay::World& world = script.world();
  const Made in_memory = Make(world, script.Sources());
  const Made in_file = Make(world, script.Sources(), 0);
  EXPECT_EQ(in_memory.graph->spilled(), 0u);
  EXPECT_GT(in_file.graph->spilled(), 0u);
  for (uint32_t l = 0; l < 5; ++l) {
    EXPECT_EQ(Show(*in_memory.graph, script, l), Show(*in_file.graph, script, l));
  }
}

}  // namespace
}  // namespace epik::graph
