// SPDX-License-Identifier: BSD-3-Clause
// Sums up the time of a location from one time until another: its own work by call path, and its waits.
#ifndef EPIK_ANALYSIS_GRAPH_SLICE_H_
#define EPIK_ANALYSIS_GRAPH_SLICE_H_

#include <algorithm>
#include <cstdint>

#include "analysis/graph/graph.h"

namespace epik::graph {

struct Slice {
  uint32_t location;
  int64_t from, to;
  uint32_t near = kNone;  // a point near the begin of the slice
};

// Uses a part of a segment, by time: when clocks are wrong, a slice may end between points. Each call path has its
// share.
template <typename UseOwn>
void UseSegment(std::span<const Cell> cells, int64_t part, int64_t whole, const UseOwn& own) {
  int64_t sum = 0, given = 0;
  for (const Cell& cell : cells) {
    sum += cell.ns;
    const auto until = part == whole ? sum : static_cast<int64_t>(static_cast<__int128>(sum) * part / whole);
    if (until > given) own(cell.path, until - given);
    given = until;
  }
}

// Calls own(call path, ns) and wait(place, number of the edge, ns), in the order of time, except for the call paths of
// a segment. The sum of all ns is to - from, as far as the location existed then.
template <typename UseOwn, typename UseWait>
void ForSlice(const Graph& graph, const Slice& slice, const UseOwn& own, const UseWait& wait) {
  const auto inside = [&](int64_t from, int64_t to) {
    return std::max<int64_t>(std::min(to, slice.to) - std::max(from, slice.from), 0);
  };
  const Place first = graph.Before(slice.location, slice.from, slice.near);
  const uint32_t start = first.IsKnown() ? first.point : 0;
  int64_t before = INT64_MIN;  // the end of the point before
  const uint32_t size = graph.size(slice.location);
  std::span<const Point> side_by_side;  // those that come next
  for (Place place{slice.location, start}; place.point < size; ++place.point) {
    if (side_by_side.empty()) side_by_side = graph.From(place);
    const Point& point = side_by_side.front();
    side_by_side = side_by_side.subspan(1);
    if (place.point > start && point.begin > before) {
      UseSegment(graph.Segment(point), inside(before, point.begin), point.begin - before, own);
    }
    before = point.end;
    if (point.begin >= slice.to) return;
    int64_t rest = inside(point.begin, point.end);
    if (rest == 0) continue;
    if (point.waited_until > slice.from) {
      for (uint32_t e = point.edge; e != kNone; e = graph.EdgeAt(e).next) {
        const Edge& edge = graph.EdgeAt(e);
        const int64_t ns = edge.Waited() > 0 ? inside(edge.from, edge.to) : 0;
        if (ns == 0) continue;
        wait(place, e, ns);
        rest -= ns;
      }
    }
    if (rest > 0) own(point.path, rest);
  }
}

}  // namespace epik::graph

#endif  // EPIK_ANALYSIS_GRAPH_SLICE_H_
