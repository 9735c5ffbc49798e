// SPDX-License-Identifier: BSD-3-Clause
// Waits are shared out over calls that the trace lacks.
#include <gtest/gtest.h>

#include "analysis/causes/delays.h"
#include "analysis/graph/test_graph.h"

namespace epik::causes {
namespace {

// 0 sends after 60 ns in m, nine tenths of which are work. 1 receives after 20 ns in m.
TEST(Mixtures, PartsOfACallPathAreCompared) {
  replay::Script script(2);
  script.Add(R"(0: 0 > m | 60 > MPI_Send | 61 send 1 5 w 8 | 62 < | 62 > work | 62 < | 99 <
                1: 0 > m | 20 > MPI_Recv | 63 receive 0 5 w 8 | 64 < | 99 <)");
  const graph::Made made = graph::Make(&script);
  const auto number_of = [&](const std::string& name) {
    uint32_t path = 0;
    while (script.PathName(path) != name) ++path;
    return path;
  };
  const uint32_t work = number_of("m > work");
  graph::Mixtures mixtures;
  mixtures.Set(0, number_of("m"), {{work, 0.9}});
  const Delays delays = FindDelays(*made.graph, mixtures);
  ASSERT_EQ(delays.costs.size(), 1u);
  EXPECT_EQ(delays.costs.begin()->first, (CostKey{0, work, kLateSender, false}));
  EXPECT_EQ(delays.costs.begin()->second, 40);
  EXPECT_TRUE(delays.IsWhole());
}

}  // namespace
}  // namespace epik::causes
