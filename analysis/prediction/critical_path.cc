// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/prediction/critical_path.h"

namespace epik::prediction {

using approximation::Moment;
using approximation::Times;
using graph::Cell;
using graph::Graph;
using graph::kNone;
using graph::Place;
using graph::Point;

namespace {

Place LastOf(const Times& times) {
  Place last;
  for (uint32_t l = 0; l < times.points.size(); ++l) {
    if (times.points[l].empty()) continue;
    const Place place{l, static_cast<uint32_t>(times.points[l].size() - 1)};
    if (!last.IsKnown() || times.At(place).end > times.At(last).end) last = place;
  }
  return last;
}

// A segment becomes longer or shorter as a whole: its call paths keep their shares.
void AddSegment(const Graph& graph, const Point& point, double ns, std::unordered_map<uint32_t, double>* by_path) {
  double measured = 0;
  for (const Cell& cell : graph.Segment(point)) measured += static_cast<double>(cell.ns);
  if (measured <= 0) {
    (*by_path)[kNone] += ns;
    return;
  }
  for (const Cell& cell : graph.Segment(point)) (*by_path)[cell.path] += ns * static_cast<double>(cell.ns) / measured;
}

}  // namespace

std::unordered_map<uint32_t, double> CriticalPath(const Graph& graph, const Times& times) {
  std::unordered_map<uint32_t, double> by_path;
  Place place = LastOf(times);
  if (!place.IsKnown()) return by_path;
  double now = times.At(place).end;
  uint64_t left = 0;  // no path has more steps than there are points, even in a damaged trace
  for (const auto& moments : times.points) left += moments.size();
  for (; left > 0; --left) {
    const Moment& moment = times.At(place);
    const Point& point = graph.At(place);
    if (moment.decided_by.IsKnown() && now >= moment.end) {
      // Goes back to the other point's time; the time after that is this location's own.
      const double there = std::min(now, times.At(moment.decided_by).begin);
      by_path[point.path] += now - there;
      now = there;
      place = moment.decided_by;
    } else {
      const double begin = std::min(now, moment.begin);
      by_path[point.path] += now - begin;
      now = begin;
    }
    if (place.point == 0) break;
    if (now > times.At(place).begin) continue;
    const double before = std::min(now, times.points[place.location][place.point - 1].end);
    AddSegment(graph, graph.At(place), now - before, &by_path);
    now = before;
    --place.point;
  }
  // The process of this location began after others.
  if (now > times.Begin()) by_path[kNone] += now - times.Begin();
  return by_path;
}

}  // namespace epik::prediction
