// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "analysis/critical/profile.h"
#include "analysis/critical/segments.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_noise.h"
#include "analysis/replay/test_program.h"

namespace epik::critical {
namespace {

using graph::Made;
using replay::kNone;
using replay::Script;

std::vector<Segment> SegmentsOf(const Path& path, const replay::World& world,
                                std::vector<std::unique_ptr<replay::EventSource>> sources, int64_t least_ns) {
  replay::MeasuredTime time(&world);
  std::vector<std::vector<graph::Slice>> slices = SlicesByLocation(path, sources.size());
  std::vector<std::vector<Segment>> found;
  for (uint32_t l = 0; l < sources.size(); ++l) {
    found.push_back(CutSlices(slices[l], l, world, sources[l].get(), {}, &time, least_ns));
  }
  return InOrder(found);
}

// "from-to location path", a line for each segment.
std::string Show(Script* script, int64_t least_ns = 0) {
  const replay::World& world = script->world();
  const Made made = graph::Make(world, script->Sources());
  const Path path = FindPath(*made.graph, world);
  EXPECT_TRUE(IsWhole(path));
  std::string text;
  for (const Segment& segment : SegmentsOf(path, world, script->Sources(), least_ns)) {
    text += std::to_string(segment.from) + "-" + std::to_string(segment.to) + " " + std::to_string(segment.location) +
            " " + (segment.path == kNone ? "?" : script->PathName(segment.path)) + "\n";
  }
  return text;
}

TEST(Path, CrossesAMessage) {
  Script script(2);
  script.Add(R"(0: 0 > m | 20 > f | 48 < | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 70 <
                1: 0 > m | 10 > MPI_Recv | 61 receive 0 5 w 8 | 62 < | 80 > g | 90 < | 99 <)");
  EXPECT_EQ(Show(&script),
            "0-20 0 m\n20-48 0 m > f\n48-50 0 m\n50-62 1 m > MPI_Recv\n62-80 1 m\n80-90 1 m > g\n90-99 1 m\n");
}

TEST(Path, StaysWhereNobodyWaited) {
  Script script(2);
  script.Add(R"(0: 0 > m | 5 > MPI_Send | 6 send 1 5 w 8 | 7 < | 70 <
                1: 0 > m | 10 > MPI_Recv | 61 receive 0 5 w 8 | 62 < | 99 <)");
  EXPECT_EQ(Show(&script), "0-10 1 m\n10-62 1 m > MPI_Recv\n62-99 1 m\n");
}

TEST(Path, CrossesABarrierAndALateReceiver) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Barrier | 10 collective_begin MPI_Barrier 0 | 60 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 90 > MPI_Recv | 101 receive 1 0 w 8 | 102 < | 103 <
         1: 0 > m | 50 > MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 55 collective_end MPI_Barrier w -1 0 0 0 | 56 < | 70 > MPI_Ssend | 71 send 0 0 w 8 | 104 < | 105 <)");
  EXPECT_EQ(
      Show(&script),
      "0-50 1 m\n50-51 1 m > MPI_Barrier\n51-61 0 m > MPI_Barrier\n61-90 0 m\n90-104 1 m > MPI_Ssend\n104-105 1 m\n");
}

TEST(Path, CrossesTeamsAndLocks) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 6 fork x 1 | 7 team_begin 0 1 0 | 10 > omp_critical | 11 lock_acquire 7 1 | 12 > f | 40 < | 41 lock_release 7 1 | 42 < | 50 team_end 1 | 50 > omp_ibarrier | 51 barrier | 61 < | 62 join 1 | 63 < | 99 <
         0.1: 8 > omp | 9 team_begin 0 1 1 | 20 > omp_critical | 43 lock_acquire 7 2 | 50 lock_release 7 2 | 51 < | 60 team_end 1 | 60 > omp_ibarrier | 60 barrier | 61 < | 62 <)");
  EXPECT_EQ(
      Show(&script),
      "0-5 0 m\n5-10 0 m > omp\n10-12 0 m > omp > omp_critical\n12-40 0 m > omp > omp_critical > f\n40-41 0 m > omp > "
      "omp_critical\n41-51 1 omp > omp_critical\n51-60 1 omp\n60-61 0 m > omp > omp_ibarrier\n61-63 0 m > omp\n63-99 "
      "0 m\n");
}

TEST(Path, CrossesMutexes) {
  Script script(1);
  script.Add(R"(0: 0 > m | 10 > f | 40 < | 50 <
                0.1: 0 > t | 20 > pthread_lock_api | 21 lock_wanted 7 0 | 42 lock_got 7 | 43 < | 99 <)");
  EXPECT_EQ(Show(&script), "0-10 0 m\n10-40 0 m > f\n40-42 0 m\n42-43 1 t > pthread_lock_api\n43-99 1 t\n");
}

// Nobody had the mutex between the end of one thread and the begin of the other.
TEST(Path, IsNotInAThreadThatHasEnded) {
  Script script(1);
  script.Add(R"(0: 0 > m | 5 thread_create 1 | 6 thread_create 2 | 10 > pthread_management | 11 join_wanted 2 | 99 join_got 2 | 99 < | 99 <
                0.1: 7 > t | 7 thread_begin 1 | 60 thread_end 1 | 60 <
                0.2: 8 > u | 8 thread_begin 2 | 20 > pthread_lock_api | 21 lock_wanted 7 1 | 80 lock_got 7 | 81 < | 90 thread_end 2 | 90 <)");
  EXPECT_EQ(Show(&script),
            "0-7 0 m\n7-60 1 t\n60-81 2 u > pthread_lock_api\n81-90 2 u\n90-99 0 m > pthread_management\n");
}

// The second thread has the location of the first one.
TEST(Path, CrossesCreationAndEndOfThreads) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 thread_create 1 | 20 > pthread_management | 21 join_wanted 1 | 45 join_got 1 | 46 < | 50 thread_create 2 | 60 > pthread_management | 61 join_wanted 2 | 85 join_got 2 | 86 < | 99 <
         0.1: 7 > t | 8 thread_begin 1 | 40 thread_end 1 | 40 < | 54 > t | 54 thread_begin 2 | 80 thread_end 2 | 80 <)");
  EXPECT_EQ(Show(&script),
            "0-7 0 m\n7-40 1 t\n40-46 0 m > pthread_management\n46-50 0 m\n50-54 1 ?\n54-80 1 t\n80-86 0 m > "
            "pthread_management\n86-99 0 m\n");
}

TEST(Path, GoesToWhoMadeTheThread) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 5 > omp | 6 fork x 1 | 7 team_begin 0 1 0 | 10 team_end 1 | 10 > omp_ibarrier | 11 barrier | 61 < | 62 join 1 | 63 < | 99 <
                0.1: 8 > omp | 9 team_begin 0 1 1 | 60 team_end 1 | 60 > omp_ibarrier | 60 barrier | 61 < | 62 <)");
  EXPECT_EQ(Show(&script),
            "0-5 0 m\n5-8 0 m > omp\n8-60 1 omp\n60-61 0 m > omp > omp_ibarrier\n61-63 0 m > omp\n63-99 0 m\n");
}

TEST(Path, EndsWithWhoComesLastToFinalize) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Init | 20 < | 40 > MPI_Finalize
                1: 2 > m | 5 > MPI_Init | 26 < | 70 > MPI_Finalize)");
  EXPECT_EQ(Show(&script), "2-5 1 m\n5-26 1 m > MPI_Init\n26-70 1 m\n");
}

TEST(Segments, ShortCallsArePartsOfTheirCallers) {
  Script script(1);
  script.Add("0: 0 > m | 10 > f | 12 > g | 14 < | 16 > h | 40 < | 45 < | 50 > g | 53 < | 99 <");
  EXPECT_EQ(Show(&script, 5), "0-10 0 m\n10-16 0 m > f\n16-40 0 m > f > h\n40-45 0 m > f\n45-99 0 m\n");
}

TEST(Segments, AreShortened) {
  std::vector<Segment> segments;
  for (int64_t s = 0; s < 1000; ++s) segments.push_back({s * 10, s * 10 + 10, static_cast<uint32_t>(s % 3), 0});
  Shorten(&segments, 100);
  EXPECT_LE(segments.size(), 100u);
  EXPECT_EQ(segments.front().from, 0);
  EXPECT_EQ(segments.back().to, 10000);
  for (size_t s = 1; s < segments.size(); ++s) EXPECT_EQ(segments[s].from, segments[s - 1].to);
}

// The path has no holes, and nobody waits on it.
TEST(Path, OfRandomProgramsIsAllWork) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const replay::Program program(2 + static_cast<int>(seed % 6), 150, seed);
    Script script(program.ranks());
    program.Write(-1, &script);
    const replay::World& world = script.world();
    const Made made = graph::Make(world, script.Sources());
    const Path path = FindPath(*made.graph, world);
    ASSERT_TRUE(IsWhole(path));
    EXPECT_EQ(path.unknown_waits, 0u);
    EXPECT_EQ(path.begin, 1);
    int64_t end = 0, sum = 0;
    for (uint32_t l = 0; l < made.graph->locations(); ++l) {
      end = std::max(end, made.graph->At({l, made.graph->size(l) - 1}).end);
    }
    EXPECT_EQ(path.end, end);
    for (const graph::Slice& slice : path.slices) {
      graph::ForSlice(
          *made.graph, slice, [&](uint32_t, int64_t ns) { sum += ns; },
          [&](graph::Place, uint32_t, int64_t) { ADD_FAILURE() << "somebody waits on the path"; });
    }
    EXPECT_EQ(sum, path.end - path.begin);
    double seconds = 0;
    for (const ProfileRow& row : ProfileOf(*made.graph, path)) {
      seconds += row.seconds;
      EXPECT_GE(row.imbalance, 0);
      EXPECT_LE(row.imbalance, row.seconds + 1e-15);
      EXPECT_LE(row.inter_partition, row.impact + 1e-15);
    }
    EXPECT_NEAR(seconds, static_cast<double>(sum) * 1e-9, 1e-15);
    std::vector<Segment> segments = SegmentsOf(path, world, script.Sources(), 3);
    int64_t now = path.begin;
    for (const Segment& segment : segments) {
      ASSERT_EQ(segment.from, now);
      now = segment.to;
    }
    EXPECT_EQ(now, path.end);
  }
}

TEST(Path, OfNoiseEnds) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const replay::World world = replay::AnyWorld(2 + static_cast<int>(seed % 4), seed);
    const Made made = graph::Make(world, replay::AnySources(world, seed));
    const Path path = FindPath(*made.graph, world);
    EXPECT_TRUE(IsWhole(path));
    ProfileOf(*made.graph, path);
    int64_t sum = 0;
    for (const Segment& segment : SegmentsOf(path, world, replay::AnySources(world, seed), 2)) {
      sum += segment.to - segment.from;
    }
    EXPECT_EQ(sum, path.end - path.begin);
  }
}

}  // namespace
}  // namespace epik::critical
