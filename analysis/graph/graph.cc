// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/graph/graph.h"

#include <algorithm>

namespace epik::graph {

// The steps away from `near` become longer. Then the search goes on between the last two.
Place Graph::Before(uint32_t location, int64_t ns, uint32_t near) const {
  const uint32_t all = size(location);
  if (all == 0) return {location, kNone};
  const auto begun = [&](uint64_t point) { return At({location, static_cast<uint32_t>(point)}).begin <= ns; };
  const uint64_t at = std::min(near, all - 1);
  uint64_t low = 0, high = at, step = 1;  // points below `low` have begun, those from `high` on have not
  if (begun(at)) {
    low = at + 1;
    for (; at + step < all && begun(at + step); step *= 2) low = at + step + 1;
    high = std::min<uint64_t>(at + step, all);
  } else {
    for (; step <= at && !begun(at - step); step *= 2) high = at - step;
    if (step <= at) low = at - step + 1;
  }
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (begun(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {location, low == 0 ? kNone : static_cast<uint32_t>(low - 1)};
}

int64_t Graph::LoggedSince(uint32_t location, int64_t ns) const {
  const std::vector<int64_t>& all = logged_since_[location];
  const auto next = std::upper_bound(all.begin(), all.end(), ns);
  return next == all.begin() ? INT64_MIN : *(next - 1);
}

Point& Graph::NewPoint(uint32_t location, std::span<const Cell> segment) {
  List& list = lists_[location];
  if (list.size % kInList == 0) {
    list.blocks.push_back(static_cast<uint32_t>(points_.size() / kInList));
    points_.Resize(points_.size() + kInList);
  }
  Point& made = At({location, list.size++});
  made = Point();
  if (!segment.empty()) made.first_cell = cells_.AppendRun(segment);
  made.cells = segment.size();
  return made;
}

Place Graph::AddPoint(uint32_t location, Point point, std::span<const Cell> segment) {
  Point& made = NewPoint(location, segment);
  point.first_cell = made.first_cell;
  point.cells = made.cells;
  made = point;
  return {location, size(location) - 1};
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

void Graph::EndPoint(Point* point, int64_t end) {
  point->end = end;
  if (point->waited_until <= end) return;
  point->waited_until = end;
  for (uint32_t e = point->edge; e != kNone; e = edges_[e].next) edges_[e].to = std::min(edges_[e].to, end);
}

uint32_t Graph::AddMeeting(Meeting meeting, std::span<const MeetingMember> members) {
  meeting.first_member = members.empty() ? 0 : members_.AppendRun(members);
  meeting.members = static_cast<uint32_t>(members.size());
  return static_cast<uint32_t>(meetings_.Append(meeting));
}

}  // namespace epik::graph
