// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analysis/causes/waits.h"

namespace epik::causes {

using graph::Edge;
using graph::Graph;

namespace {

constexpr uint64_t kMostPoints = 1 << 12;

int64_t BeginOf(const Graph& graph, uint32_t location) { return graph.At({location, 0}).begin; }

// Where it has stopped looking.
int64_t Reached(const Graph& graph, uint32_t location, const WaitsBackwards& waits) {
  return waits.now().IsThere() ? waits.edge().to : BeginOf(graph, location);
}

int64_t Since(const Graph& graph, uint32_t waiter, int64_t from, uint32_t other, WaitsBackwards* mine,
              WaitsBackwards* its) {
  while (mine->now().IsThere() || its->now().IsThere()) {
    const bool both = mine->now().IsThere() && its->now().IsThere();
    if (both && mine->edge().to == its->edge().to && mine->edge().partner == its->edge().partner) {
      return mine->edge().to;
    }
    const bool take_mine = mine->now().IsThere() && (!both || mine->edge().to >= its->edge().to);
    WaitsBackwards& later = take_mine ? *mine : *its;
    if (later.edge().partner.location == (take_mine ? other : waiter)) return later.edge().to;
    if (mine->seen() + its->seen() > kMostPoints) {
      return std::min(from, std::max(Reached(graph, waiter, *mine), Reached(graph, other, *its)));
    }
    later.Next();
  }
  // A thread that the other one made: before that, there was only one of them.
  for (const auto& [made, maker] : {std::pair(other, waiter), std::pair(waiter, other)}) {
    const graph::Point& first = graph.At({made, 0});
    if (first.edge != graph::kNone && graph.EdgeAt(first.edge).partner.location == maker) {
      return std::min(from, first.begin);
    }
  }
  return std::min({from, BeginOf(graph, waiter), BeginOf(graph, other)});
}

}  // namespace

Common FindCommon(const WaitPoints& points, graph::Place waiter, const Edge& wait) {
  const graph::Place other = wait.partner;
  WaitsBackwards mine(points, waiter, wait);
  WaitsBackwards its(points, other.location, std::min(wait.from, wait.to), other.point);
  const int64_t since = Since(points.graph(), waiter.location, wait.from, other.location, &mine, &its);
  return {since, mine.point(), its.point()};
}

}  // namespace epik::causes
