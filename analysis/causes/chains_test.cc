// SPDX-License-Identifier: BSD-3-Clause
// Chains name what made these waits, not what made others at the same call paths.
#include "analysis/causes/chains.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"

namespace epik::causes {
namespace {

using graph::Made;
using replay::Script;

// 0 receives from 1, which works for 60, and in the same call path from 2, which works for 100. Then 1 waits for 0: the
// wait of 0 for 2 is its cause, not the longer one of 0 for 1 itself.
TEST(Chains, GoesThroughTheWaitsThatCausedIt) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 0 > MPI_Recv | 61 receive 1 0 w 8 | 61 < | 61 > MPI_Recv | 101 receive 2 0 w 8 | 101 < | 101 > MPI_Send | 101 send 1 1 w 8 | 102 < | 103 <
         1: 0 > m | 0 > long | 60 < | 60 > MPI_Send | 60 send 0 0 w 8 | 61 < | 61 > MPI_Recv | 103 receive 0 1 w 8 | 103 < | 103 <
         2: 0 > m | 0 > longer | 100 < | 100 > MPI_Send | 100 send 0 0 w 8 | 101 < | 103 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const std::vector<Chain> chains = FindChains(delays);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[0].waits.location, 0u);
  EXPECT_EQ(chains[1].waits.location, 1u);
  ASSERT_EQ(chains[1].links.size(), 2u);
  EXPECT_TRUE(chains[1].links[0].cause.waited);
  EXPECT_EQ(chains[1].links[0].cause.location, 0u);
  EXPECT_EQ(chains[1].links[1].cause.location, 2u);
  EXPECT_EQ(script.PathName(chains[1].links[1].cause.path), "m > longer");
}

// Rank 0 works for 50, then sends a message round a ring, in which 1 and 2 work for 30 each. Rank 1 waits longer for
// the waits of 0 than for its work, but those come from the works of all three.
TEST(Chains, EndAtTheLargestCauseOfAll) {
  constexpr int kRounds = 6;
  constexpr int kWork[] = {50, 30, 30};
  std::string calls[] = {"0: 0 > m", "1: 0 > m", "2: 0 > m"};
  int free_at[] = {0, 0, 0};
  const auto work = [&](int rank) {
    const std::string begin = " | " + std::to_string(free_at[rank]);
    free_at[rank] += kWork[rank];
    calls[rank] += begin + " > f" + std::to_string(rank) + " | " + std::to_string(free_at[rank]) + " <";
  };
  const auto pass_on = [&](int from, int to) {
    std::string at = " | " + std::to_string(free_at[from]);
    calls[from] += at + " > MPI_Send" + at + " send " + std::to_string(to) + " 0 w 8" + at + " <";
    calls[to] += " | " + std::to_string(free_at[to]) + " > MPI_Recv";
    free_at[to] = free_at[from] + 1;
    at = " | " + std::to_string(free_at[to]);
    calls[to] += at + " receive " + std::to_string(from) + " 0 w 8" + at + " <";
  };
  for (int round = 0; round < kRounds; ++round) {
    for (int rank = 0; rank < 3; ++rank) {
      work(rank);
      pass_on(rank, (rank + 1) % 3);
    }
  }
  Script script(3);
  for (const std::string& line : calls) script.Add(line + " | 999 <");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  const std::vector<Chain> chains = FindChains(delays);
  ASSERT_EQ(chains.size(), 3u);
  for (const Chain& chain : chains) {
    const Chain::Link& last = chain.links.back();
    EXPECT_FALSE(last.cause.waited);
    EXPECT_EQ(script.PathName(last.cause.path), "m > f0");
    EXPECT_GT(3 * last.ns, chain.ns) << "by all ways";
    EXPECT_LT(last.ns, chain.ns);
    EXPECT_EQ(chain.links.size(), (chain.waits.location + 2) % 3 + 1) << "by the shortest way here";
  }
}

// 1 waits for 0, which receives from 2, which is not in the trace, and then from 1, which it waits for.
TEST(Chains, KnowMessagesWithoutSender) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 0 > MPI_Recv | 50 receive 2 0 w 8 | 50 < | 50 > MPI_Send | 51 send 1 0 w 8 | 52 < | 52 > MPI_Recv | 71 receive 1 0 w 8 | 72 < | 99 <
         1: 0 > m | 0 > MPI_Recv | 51 receive 0 0 w 8 | 52 < | 52 > f | 70 < | 70 > MPI_Send | 70 send 0 0 w 8 | 71 < | 99 <)");
  const Made made = graph::Make(&script);
  const Delays delays = FindDelays(*made.graph);
  ASSERT_EQ(delays.without_sender.size(), 1u);
  const auto& [where, ns] = *delays.without_sender.begin();
  EXPECT_EQ(where.first, 0u);
  EXPECT_EQ(script.PathName(where.second), "m > MPI_Recv");
  EXPECT_EQ(ns, 50);
}

// 1 goes on with an untied task when 0 has left it: it waits for `first`, and 0 waits for `second` then.
TEST(Chains, GoThroughThePartsOfAnUntiedTask) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 fork x 1 | 3 team_begin 0 1 0 | 4 > create | 4 task_create 7 | 5 < | 6 > omp_ibarrier | 6 barrier | 7 > task | 7 task_begin 7 | 7 > first | 50 < | 50 < | 99 < | 99 <
         0.1: 3 > m | 3 team_begin 0 1 1 | 6 > omp_ibarrier | 6 barrier | 51 > task | 51 task_switch 7 | 51 > second | 98 < | 98 task_end 7 | 98 < | 99 < | 99 <)");
  const Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Delays delays = FindDelays(*made.graph);
  EXPECT_TRUE(delays.IsWhole());
  const std::vector<Chain> chains = FindChains(delays);
  ASSERT_GE(chains.size(), 2u);
  EXPECT_EQ(script.PathName(chains[0].links.at(0).cause.path), "m > omp_ibarrier > task > second");
  EXPECT_EQ(script.PathName(chains[1].links.at(0).cause.path), "m > omp_ibarrier > task > first");
  for (const auto& [key, ns] : delays.costs) {
    if (key.path == graph::kNone || script.PathName(key.path) != "m > omp_ibarrier") continue;
    EXPECT_LE(ns, 3) << "it is no work";
  }
}

}  // namespace
}  // namespace epik::causes
