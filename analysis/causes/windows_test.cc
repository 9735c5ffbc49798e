// SPDX-License-Identifier: BSD-3-Clause
// Waits in a trace of a window are compared from the begin of the window on.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "analysis/causes/delays.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/condenser.h"

namespace epik::causes {
namespace {

using Costs = std::map<std::string, int64_t>;

// "location path" -> ns. `condensed`: of the events that epk analyze gives to replay.
Costs CostsOf(replay::Script* script, bool condensed) {
  const replay::World& world = script->world();
  replay::MeasuredTime time(&world);
  auto sources = script->Sources();
  for (uint32_t l = 0; condensed && l < sources.size(); ++l) {
    sources[l] = std::make_unique<replay::Condenser>(std::move(sources[l]), &world, l, &time);
  }
  const graph::Made made = graph::Make(world, std::move(sources));
  Costs costs;
  for (const auto& [key, ns] : FindDelays(*made.graph).costs) {
    costs[std::to_string(key.location) + " " + script->PathName(key.path)] += ns;
  }
  return costs;
}

// The trace shows m from its begin, to which 0 came 30 ns earlier, and of what happened in m only the window f.
TEST(Windows, AreComparedFromTheirBeginsOn) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 90 > f | 92 > work | 120 < | 120 > MPI_Send | 120 send 1 5 w 8 | 120 < | 190 > MPI_Recv | 210 receive 1 5 w 8 | 210 < | 210 <
         1: 30 > m | 90 > f | 92 > MPI_Recv | 120 receive 0 5 w 8 | 120 < | 120 > more | 210 < | 210 > MPI_Send | 210 send 0 5 w 8 | 210 < | 210 <)");
  EXPECT_EQ(CostsOf(&script, false), (Costs{{"0 m", 14}, {"0 m > f > work", 14}, {"1 m > f > more", 20}}));
  script.Window("m > f");
  const Costs wanted = {{"0 m > f > work", 28}, {"1 m > f > more", 20}};
  EXPECT_EQ(CostsOf(&script, false), wanted);
  EXPECT_EQ(CostsOf(&script, true), wanted);
}

}  // namespace
}  // namespace epik::causes
