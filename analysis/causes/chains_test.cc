// SPDX-License-Identifier: BSD-3-Clause
// Chains name what made these waits, not what made others at the same call paths.
#include "analysis/causes/chains.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace epik::causes
