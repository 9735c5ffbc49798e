// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/graph/graph.h"

#include <algorithm>

namespace epik::graph {

// Most questions are about recent points, so the search starts at the end, and its steps back become longer.
Place Graph::Before(uint32_t location, int64_t ns) const {
  uint32_t above = size(location);  // it and all after it began later
  uint32_t step = 1, below = above;
  while (below > 0) {
    below = below > step ? below - step : 0;
    if (At({location, below}).begin <= ns) break;
    above = below;
    step *= 2;
  }
  if (above == 0) return {location, kNone};
  while (above - below > 1) {
    const uint32_t middle = below + (above - below) / 2;
    (At({location, middle}).begin <= ns ? below : above) = middle;
  }
  return {location, below};
}

Place Graph::AddPoint(uint32_t location, const Point& point, std::span<const Cell> segment) {
  List& list = lists_[location];
  if (list.size % kInList == 0) {
    list.blocks.push_back(static_cast<uint32_t>(points_.size() / kInList));
    points_.Resize(points_.size() + kInList);
  }
  const Place place{location, list.size++};
  Point& made = At(place);
  made = point;
  made.first_cell = segment.empty() ? 0 : cells_.AppendRun(segment);
  made.cells = static_cast<uint32_t>(segment.size());
  return place;
}

// The newest edge of a point comes first.
void Graph::AddEdge(Place place, Edge edge) {
  Point& point = At(place);
  edge.from = std::max({edge.from, point.begin, point.waited_until});
  edge.to = std::min(edge.to, point.end);
  if (edge.Waited() > 0) point.waited_until = edge.to;
  edge.next = point.edge;
  point.edge = static_cast<uint32_t>(edges_.Append(edge));
}

void Graph::EndPoint(Place place, int64_t end) {
  Point& point = At(place);
  point.end = end;
  if (point.waited_until <= end) return;
  point.waited_until = end;
  for (uint32_t e = point.edge; e != kNone; e = edges_[e].next) edges_[e].to = std::min(edges_[e].to, end);
}

uint32_t Graph::AddMeeting(Meeting meeting, std::span<const MeetingMember> members) {
  meeting.first_member = members.empty() ? 0 : members_.AppendRun(members);
  meeting.members = static_cast<uint32_t>(members.size());
  return static_cast<uint32_t>(meetings_.Append(meeting));
}

}  // namespace epik::graph
