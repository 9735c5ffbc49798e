// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analysis/causes/waits.h"

namespace epik::causes {

using graph::Graph;

namespace {

constexpr uint64_t kMostPoints = 1 << 12;

int64_t BeginOf(const Graph& graph, uint32_t location) { return graph.At({location, 0}).begin; }

// The time at which the search has stopped.
int64_t Reached(const Graph& graph, uint32_t location, const WaitsBackwards& waits) {
  return waits.IsThere() ? waits.now().to : BeginOf(graph, location);
}

int64_t Since(const Graph& graph, uint32_t waiter, int64_t from, uint32_t other, WaitsBackwards* mine,
              WaitsBackwards* its) {
  while (mine->IsThere() || its->IsThere()) {
    const bool both = mine->IsThere() && its->IsThere();
    if (both && mine->now().to == its->now().to && mine->now().partner == its->now().partner) return mine->now().to;
    const bool take_mine = mine->IsThere() && (!both || mine->now().to >= its->now().to);
    WaitsBackwards& later = take_mine ? *mine : *its;
    if (later.now().partner.location == (take_mine ? other : waiter)) return later.now().to;
    if (mine->seen() + its->seen() > kMostPoints) {
      return std::min(from, std::max(Reached(graph, waiter, *mine), Reached(graph, other, *its)));
    }
    later.Next();
  }
  // If one thread made the other one, only one of them existed before that.
  for (const auto& [made, maker] : {std::pair(other, waiter), std::pair(waiter, other)}) {
    const graph::Point& first = graph.At({made, 0});
    if (first.edge != graph::kNone && graph.EdgeAt(first.edge).partner.location == maker) {
      return std::min(from, first.begin);
    }
  }
  return std::min({from, BeginOf(graph, waiter), BeginOf(graph, other)});
}

// A trace of windows shows the callers of a window, but not the calls outside of it. So the comparison goes
// back at most to the begin of the earlier of the two windows.
int64_t LoggedSince(const Graph& graph, uint32_t waiter, const graph::Edge& edge) {
  return std::min(graph.LoggedSince(waiter, edge.from), graph.LoggedSince(edge.partner.location, edge.to));
}

}  // namespace

Common FindCommon(const Waits& waits, uint32_t waiter, uint64_t wait) {
  const graph::Edge& edge = waits.graph().EdgeAt(waits[wait].edge);
  const graph::Place other = edge.partner;
  WaitsBackwards mine(waits, waiter, wait);
  WaitsBackwards its(waits, other.location, std::min(edge.from, edge.to), other.point);
  const int64_t since = Since(waits.graph(), waiter, edge.from, other.location, &mine, &its);
  return {std::max(since, LoggedSince(waits.graph(), waiter, edge)), mine.point(), its.point()};
}

}  // namespace epik::causes
