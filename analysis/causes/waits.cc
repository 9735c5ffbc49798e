// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/causes/waits.h"

#include <algorithm>

namespace epik::causes {

using graph::Edge;
using graph::Graph;
using graph::kNone;

WaitPoints::WaitPoints(const Graph& graph) : graph_(graph), last_(graph.locations()) {
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    uint32_t last = kNone;
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      if (HasWaits({l, p})) last = p;
      if (p % kInBlock == kInBlock - 1) last_[l].push_back(last);
    }
  }
}

uint32_t WaitPoints::Before(graph::Place place) const {
  for (uint32_t p = place.point; p-- > 0;) {
    if (p % kInBlock == kInBlock - 1) return last_[place.location][p / kInBlock];
    if (HasWaits({place.location, p})) return p;
  }
  return kNone;
}

WaitsBackwards::WaitsBackwards(const WaitPoints& points, uint32_t location, int64_t until, uint32_t near)
    : points_(&points), place_(points.graph().Before(location, until, near)) {
  if (!place_.IsKnown()) return;
  Find(graph().At(place_).edge);
  while (now_.IsThere() && edge().to > until) Next();
}

WaitsBackwards::WaitsBackwards(const WaitPoints& points, graph::Place place, const Edge& before)
    : points_(&points), place_(place) {
  Find(before.next);
  while (now_.IsThere() && edge().to > before.from) Next();
}

void WaitsBackwards::Next() { Find(edge().next); }

// From this edge of the point on, and then from the points before. The newest edge, which ended last, comes first.
void WaitsBackwards::Find(uint32_t edge) {
  now_ = Wait();
  while (true) {
    for (uint32_t e = edge; e != kNone; e = graph().EdgeAt(e).next) {
      if (graph().EdgeAt(e).Waited() == 0) continue;
      now_ = {place_, e};
      return;
    }
    const uint32_t before = points_->Before(place_);
    place_.point = before == kNone ? 0 : before;
    if (before == kNone) return;
    ++seen_;
    edge = graph().At(place_).edge;
  }
}

AllWaitsBackwards::AllWaitsBackwards(const WaitPoints& points) {
  const uint32_t locations = points.graph().locations();
  for (uint32_t l = 0; l < locations; ++l) of_.emplace_back(points, l, INT64_MAX);
  for (uint32_t l = 0; l < locations; ++l) Push(l);
}

void AllWaitsBackwards::Push(uint32_t location) {
  if (!of_[location].now().IsThere()) return;
  heap_.push_back({of_[location].edge().to, location});
  std::push_heap(heap_.begin(), heap_.end());
}

void AllWaitsBackwards::TakeThoseThatEndTogether() {
  const int64_t to = heap_.front().to;
  waited_for_.clear();
  while (!heap_.empty() && heap_.front().to == to) {
    const uint32_t l = heap_.front().location;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    together_.push_back(of_[l].now());
    waited_for_.push_back(of_[l].edge().partner.location);
    of_[l].Next();
    Push(l);
  }
  if (together_.size() == 1) return;
  std::sort(waited_for_.begin(), waited_for_.end());
  std::stable_partition(together_.begin(), together_.end(), [&](const Wait& wait) {
    return std::binary_search(waited_for_.begin(), waited_for_.end(), wait.place.location);
  });
}

bool AllWaitsBackwards::Next(Wait* wait) {
  if (together_.empty()) {
    if (heap_.empty()) return false;
    TakeThoseThatEndTogether();
  }
  *wait = together_.back();
  together_.pop_back();
  return true;
}

}  // namespace epik::causes
