// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/findings/findings.h"

#include <gtest/gtest.h>

namespace epik::findings {
namespace {

// Analyses of earlier versions tell no wait states. Their instances waited from their begin to their end.
TEST(Findings, OfEarlierVersionsHaveNoWaitStates) {
  Findings read;
  std::string error;
  ASSERT_TRUE(FromJson(R"({"causes": {"waited_s": 1, "waits": 1, "unknown_s": 0, "pairs": [], "chains": [{"seconds": 1,
      "instances": 1, "rank": 0, "thread": 1, "kind": "delay_task", "callpath": "main > implicit barrier",
      "text": "thread 0:1 waits"}]}, "instances": [{"kind": "delay_task", "callpath": "main > implicit barrier",
      "rank": 0, "thread": 1, "from_s": 0.5, "to_s": 0.75, "waited_for_rank": 0, "waited_for_thread": 0}],
      "critical_path": {"begin_s": 0, "end_s": 1, "unknown_s": 0, "segments": []}})",
                       &read, &error))
      << error;
  ASSERT_EQ(read.chains.size(), 1u);
  EXPECT_EQ(read.chains[0].wait_state, "");
  ASSERT_EQ(read.instances.size(), 1u);
  EXPECT_EQ(read.instances[0].wait_state, "");
  EXPECT_EQ(read.instances[0].seconds, 0.25);
}

TEST(Findings, ReadBackWhatWasWritten) {
  Findings made;
  made.waited_s = 1.5;
  made.waits = 7;
  made.chains = {{0.25, 3, {1, 0}, "delay_latesender", "main > MPI_Recv", "mpi_latesender", {}, "rank 1 waits"}};
  made.pairs = {{{1, 0}, {0, 2}, 0.25}};
  made.instances = {{"delay_barrier", "main > MPI_Barrier", {2, 0}, {-1, -1}, 0.5, 0.75, "mpi_barrier_wait", 0.125}};
  made.critical = {0, 2, 0.125, {{0, 0.5, {0, 0}, "main"}, {0.5, 2, {1, 0}, ""}}, {{1.25, {1, 0}, "main > work"}}};
  made.by_summary = true;
  made.distribution = {
      {0.5, {{"mpi_latesender", {0, 0.25}}}},
      {{"main", "step", {"1", "3"}, {"2", "4"}, {1, 2}, {{"mpi_latesender", {0.5, 0.75}}}}},
      {{"mpi_latesender", "main > MPI_Recv", 3, 0.25, 0.01, 0.02, 0.03, 0.04, 0.2, {{0.01, 0.011, 3}}}}};
  Findings read;
  std::string error;
  ASSERT_TRUE(FromJson("{\n  \"events\": 3,\n" + ToJson(made) + "\n}", &read, &error)) << error;
  EXPECT_TRUE(read.are_there);
  EXPECT_EQ(read.waits, 7u);
  ASSERT_EQ(read.chains.size(), 1u);
  EXPECT_EQ(read.chains[0].text, "rank 1 waits");
  EXPECT_EQ(read.chains[0].wait_state, "mpi_latesender");
  ASSERT_EQ(read.pairs.size(), 1u);
  EXPECT_EQ(read.pairs[0].waited_for.thread, 2);
  ASSERT_EQ(read.instances.size(), 1u);
  EXPECT_EQ(read.instances[0].waited_for.rank, -1);
  EXPECT_EQ(read.instances[0].to_s, 0.75);
  EXPECT_EQ(read.instances[0].wait_state, "mpi_barrier_wait");
  EXPECT_EQ(read.instances[0].seconds, 0.125);
  ASSERT_EQ(read.critical.segments.size(), 2u);
  EXPECT_EQ(read.critical.segments[1].to_s, 2);
  EXPECT_EQ(read.critical.unknown_s, 0.125);
  ASSERT_EQ(read.critical.places.size(), 1u);
  EXPECT_EQ(read.critical.places[0].seconds, 1.25);
  EXPECT_EQ(read.critical.places[0].callpath, "main > work");
  EXPECT_TRUE(read.by_summary);
  EXPECT_EQ(read.distribution.over_time.patterns.at(0).seconds, (std::vector<double>{0, 0.25}));
  ASSERT_EQ(read.distribution.iterations.size(), 1u);
  EXPECT_EQ(read.distribution.iterations[0].last, (std::vector<std::string>{"2", "4"}));
  EXPECT_EQ(read.distribution.iterations[0].patterns.at(0).seconds.at(1), 0.75);
  ASSERT_EQ(read.distribution.spreads.size(), 1u);
  EXPECT_EQ(read.distribution.spreads[0].p99_s, 0.04);
  EXPECT_EQ(read.distribution.spreads[0].buckets.at(0).count, 3u);
}

TEST(Findings, OfAnOlderAnalysisAreNotThere) {
  Findings read;
  std::string error;
  EXPECT_TRUE(FromJson("{\"events\": 3}", &read, &error));
  EXPECT_FALSE(read.are_there);
}

TEST(Findings, OfDamagedFilesAreAnError) {
  for (const char* text : {"", "{", "[]x", "{\"causes\": 3}", "{\"causes\": {\"waited_s\": \"a\"}}"}) {
    Findings read;
    std::string error;
    EXPECT_FALSE(FromJson(text, &read, &error)) << text;
    EXPECT_FALSE(read.are_there);
    EXPECT_NE(error, "");
  }
}

}  // namespace
}  // namespace epik::findings
