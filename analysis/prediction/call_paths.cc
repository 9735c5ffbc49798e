// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/prediction/call_paths.h"

#include <algorithm>
#include <vector>

namespace epik::prediction {

using approximation::Change;
using approximation::Moment;
using approximation::Times;
using graph::Cell;
using graph::Graph;
using graph::Point;

namespace {

// Finds the calls that asked in vain for what the point got: the call path in its segment that has them, or none.
uint32_t PollsOf(const Point& point, std::span<const Cell> segment) {
  if (point.polled == 0 || point.edge == graph::kNone) return graph::kNone;
  for (const Cell& cell : segment) {
    if (cell.path == point.poll_path) return cell.path;
  }
  return graph::kNone;
}

// Each call path gets the time that the change leaves of it, and together they get the time that the forward pass
// found. Calls that asked in vain get the rest.
void AddSegment(const Graph& graph, graph::Place place, const Change& change, double took,
                std::unordered_map<uint32_t, OwnTime>* by_path) {
  const Point& point = graph.At(place);
  const std::span<const Cell> segment = graph.Segment(point);
  std::vector<double> left;
  double sum = 0;
  const uint32_t polls = PollsOf(point, segment);
  const auto is_poll = [&](const Cell& cell) { return polls != graph::kNone && cell.path == polls; };
  for (const Cell& cell : segment) {
    const double goes = change.SavedIn(graph, place, cell);
    const double asked = is_poll(cell) ? static_cast<double>(point.polled) : 0;
    sum += left.emplace_back(std::max(0.0, static_cast<double>(cell.ns) - goes - asked));
  }
  const double waited = polls != graph::kNone ? std::max(0.0, took - sum) : 0;
  if (segment.empty() && took > 0) (*by_path)[graph::kNone].predicted += took;
  for (size_t c = 0; c < segment.size(); ++c) {
    OwnTime& time = (*by_path)[segment[c].path];
    time.measured += static_cast<double>(segment[c].ns);
    time.predicted += sum > 0 ? (took - waited) * left[c] / sum : (took - waited) / static_cast<double>(segment.size());
    if (is_poll(segment[c])) time.predicted += waited;
  }
}

}  // namespace

std::unordered_map<uint32_t, OwnTime> OwnTimes(const Graph& graph, const Change& change, const Times& times) {
  std::unordered_map<uint32_t, OwnTime> by_path;
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      const Point& point = graph.At({l, p});
      const Moment& moment = times.points[l][p];
      const double took = p > 0 ? moment.begin - times.points[l][p - 1].end : 0;
      AddSegment(graph, {l, p}, change, took, &by_path);
      OwnTime& inside = by_path[point.path];
      inside.measured += static_cast<double>(point.end - point.begin);
      inside.predicted += moment.end - moment.begin;
    }
  }
  return by_path;
}

}  // namespace epik::prediction
