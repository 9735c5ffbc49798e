// SPDX-License-Identifier: BSD-3-Clause
// Ranks move to other hosts: the times of messages are learnt from the places of their ranks, and change with them.
#include "analysis/approximation/placement.h"

#include <gtest/gtest.h>

#include "analysis/approximation/forward.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"

namespace epik::approximation {
namespace {

using replay::Script;

// Ranks 0 and 1 share a host, 2 and 3 another one. A message from 0 to 1 takes 100 ns and 0.1 ns a byte, one from 0 to
// 2 takes 1000 ns and 1 ns a byte. Receivers wait for all of them.
constexpr char kMessages[] =
    R"(0: 0 > main | 1000 > MPI_Send | 1000 send 1 5 w 0 | 1010 < | 5000 > MPI_Send | 5000 send 1 5 w 10000 | 5010 < | 20000 > MPI_Send | 20000 send 2 5 w 0 | 20010 < | 30000 > MPI_Send | 30000 send 2 5 w 10000 | 30010 < | 90000 <
       1: 0 > main | 500 > MPI_Recv | 1100 receive 0 5 w 0 | 1100 < | 2000 > MPI_Recv | 6100 receive 0 5 w 10000 | 6100 < | 90000 <
       2: 0 > main | 500 > MPI_Recv | 21000 receive 0 5 w 0 | 21000 < | 22000 > MPI_Recv | 41000 receive 0 5 w 10000 | 41000 < | 90000 <
       3: 0 > main | 90000 <)";

replay::World World(Script* script, const std::vector<uint32_t>& hosts) {
  replay::World world = script->world();
  for (replay::Process& process : world.processes) process.host = hosts[static_cast<size_t>(process.rank)];
  return world;
}

Times With(const graph::Graph& graph, const Placement* placement) {
  std::vector<uint32_t> leaders;
  for (uint32_t l = 0; l < graph.locations(); ++l) leaders.push_back(l);
  Rules rules;
  rules.placement = placement;
  return Forward(graph, leaders, Transfers(graph), Change(), rules);
}

TEST(Placement, LearnsWhatMessagesTakeByWhereTheirRanksAre) {
  Script script(4);
  script.Add(kMessages);
  const replay::World world = World(&script, {0, 0, 1, 1});
  const graph::Made made = graph::Make(world, script.Sources());
  const Placement placement(*made.graph, world, 2);
  EXPECT_EQ(placement.hosts_before(), 2u);
  EXPECT_EQ(placement.hosts(), 2u);
  EXPECT_EQ(placement.pairs(), 2u);
  EXPECT_EQ(placement.changed_pairs(), 0u);
  EXPECT_FALSE(placement.Needs(Placement::kSameHost) || placement.Needs(Placement::kOtherHost));
  ASSERT_TRUE(placement.way(Placement::kSameHost).has_value());
  ASSERT_TRUE(placement.way(Placement::kOtherHost).has_value());
  EXPECT_NEAR(placement.way(Placement::kSameHost)->latency_ns, 100, 1);
  EXPECT_NEAR(placement.way(Placement::kSameHost)->ns_per_byte, 0.1, 0.001);
  EXPECT_EQ(placement.way(Placement::kSameHost)->messages, 2u);
  EXPECT_NEAR(placement.way(Placement::kOtherHost)->latency_ns, 1000, 1);
  EXPECT_NEAR(placement.way(Placement::kOtherHost)->ns_per_byte, 1, 0.001);
  const Times same = With(*made.graph, &placement), measured = Measured(*made.graph);
  for (uint32_t l = 0; l < 4; ++l) {
    for (size_t p = 0; p < measured.points[l].size(); ++p) {
      EXPECT_NEAR(same.points[l][p].end, measured.points[l][p].end, 0.5) << l << "." << p;
    }
  }
}

TEST(Placement, MovesMessagesWithTheirRanks) {
  Script script(4);
  script.Add(kMessages);
  const replay::World world = World(&script, {0, 0, 1, 1});
  const graph::Made made = graph::Make(world, script.Sources());
  const Placement together(*made.graph, world, 4);
  EXPECT_EQ(together.hosts(), 1u);
  EXPECT_EQ(together.changed_pairs(), 1u);
  EXPECT_NEAR(together.MoreForMessage(0, 2, 10000), -9900, 2);
  EXPECT_EQ(together.MoreForMessage(0, 1, 10000), 0);
  EXPECT_EQ(together.MoreForMessage(0, 0, 10000), 0);
  // 2 receives its first message 900 ns earlier, and its second one 9900 ns.
  const Times then = With(*made.graph, &together), measured = Measured(*made.graph);
  EXPECT_NEAR(measured.Lasted(2) - then.Lasted(2), 9900, 5);
  EXPECT_NEAR(measured.Lasted(1), then.Lasted(1), 1);

  const Placement apart(*made.graph, world, 1);
  EXPECT_EQ(apart.hosts(), 4u);
  EXPECT_EQ(apart.changed_pairs(), 1u);
  EXPECT_NEAR(With(*made.graph, &apart).Lasted(1) - measured.Lasted(1), 9900, 5);
}

TEST(Placement, CannotTellWhatTheTraceDoesNotHave) {
  Script script(4);
  script.Add(kMessages);
  const replay::World world = World(&script, {0, 0, 0, 0});
  const graph::Made made = graph::Make(world, script.Sources());
  Placement apart(*made.graph, world, 2);
  EXPECT_TRUE(apart.Needs(Placement::kOtherHost));
  EXPECT_FALSE(apart.way(Placement::kOtherHost).has_value());
  apart.Give(Placement::kOtherHost, {5000, 2, 0});
  const Way& same = *apart.way(Placement::kSameHost);
  EXPECT_NEAR(apart.MoreForMessage(0, 2, 100), 5200 - same.Takes(100), 0.5);
  // If no rank moves, nothing is needed.
  const Placement stays(*made.graph, world, 8);
  EXPECT_FALSE(stays.Needs(Placement::kOtherHost));
}

// The tree goes over the hosts, and within a host over its ranks.
TEST(Placement, MovesOperationsByTheirSteps) {
  Script script(4);
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string begin = std::to_string(10 * (rank + 1));
    text += std::to_string(rank) + ": 0 > main | " + begin + " > MPI_Barrier | " + begin +
            " collective_begin MPI_Barrier 0 | 100 collective_end MPI_Barrier w -1 0 0 0 | 100 < | 200 <\n";
  }
  script.Add(text);
  const replay::World world = World(&script, {0, 0, 0, 0});
  const graph::Made made = graph::Make(world, script.Sources());
  Placement apart(*made.graph, world, 2);
  EXPECT_TRUE(apart.Needs(Placement::kOtherHost) && apart.Needs(Placement::kSameHost));
  apart.Give(Placement::kSameHost, {10, 0, 0});
  apart.Give(Placement::kOtherHost, {1000, 0, 0});
  const Times then = With(*made.graph, &apart), measured = Measured(*made.graph);
  for (uint32_t l = 0; l < 4; ++l) EXPECT_NEAR(then.Lasted(l) - measured.Lasted(l), 990, 1) << l;
}

}  // namespace
}  // namespace epik::approximation
