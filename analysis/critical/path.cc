// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/critical/path.h"

#include <algorithm>

namespace epik::critical {

using graph::Edge;
using graph::Graph;
using graph::Place;
using graph::Point;
using graph::PointKind;
using replay::kNone;

namespace {

class Walk {
 public:
  Walk(const Graph& graph, const replay::World& world) : graph_(graph), world_(world) {}

  Path Go(const archive::TimeLimit& limit) {
    uint32_t location = Last();
    if (location == kNone) return {};
    int64_t now = EndOf(location);
    path_.begin = path_.end = now;
    while (location != kNone) {
      limit.Check();
      Step(&location, &now);
    }
    path_.begin = now;
    std::reverse(path_.slices.begin(), path_.slices.end());
    return std::move(path_);
  }

 private:
  int64_t EndOf(uint32_t l) const { return graph_.At({l, graph_.size(l) - 1}).end; }

  // Prefers, among locations that end together, one that did not wait for others at the end.
  uint32_t Last() const {
    uint32_t last = kNone;
    bool waited = true;
    for (uint32_t l = 0; l < graph_.locations(); ++l) {
      if (graph_.size(l) == 0) continue;
      const bool waits = WaitBefore(l, EndOf(l), EndOf(l)) != nullptr;
      if (last != kNone && (EndOf(l) < EndOf(last) || (EndOf(l) == EndOf(last) && (waits || !waited)))) continue;
      last = l;
      waited = waits;
    }
    return last;
  }

  // The last wait of the location that ended from `since` until `now`.
  const Edge* WaitBefore(uint32_t location, int64_t now, int64_t since) const {
    for (Place place = graph_.Before(location, now); place.IsKnown(); --place.point) {
      const Point& point = graph_.At(place);
      if (point.end < since) return nullptr;
      const Edge* found = nullptr;
      if (point.waited_until >= since) {
        graph_.ForEachEdge(point, [&](const Edge& edge) {
          const bool counts = edge.Waited() > 0 && edge.to <= now && edge.to >= since;
          if (counts && (found == nullptr || edge.to > found->to)) found = &edge;
        });
      }
      if (found != nullptr || place.point == 0) return found;
    }
    return nullptr;
  }

  // Goes back to the last wait, and on to the location that it was for.
  void Step(uint32_t* location, int64_t* now) {
    // If clocks are wrong, several locations may seem to have waited for each other until the same time.
    const bool circles = at_once_ > graph_.locations();
    const Edge* wait = WaitBefore(*location, circles ? *now - 1 : *now, INT64_MIN);
    while (wait != nullptr && (!wait->partner.IsKnown() || wait->partner.location == *location)) {
      ++path_.unknown_waits;
      path_.unknown_ns += wait->Waited();
      wait = WaitBefore(*location, wait->from, INT64_MIN);
    }
    if (wait == nullptr) return Begin(location, now);
    Take(*location, std::min(wait->to, LastThere(wait->partner.location, wait->to)), now);
    *location = wait->partner.location;
  }

  // The last time until `ns` at which the location had a thread that did something: nobody waits for what is gone.
  int64_t LastThere(uint32_t location, int64_t ns) const {
    const Place place = graph_.Before(location, ns);
    if (!place.IsKnown()) return ns;
    const Point& point = graph_.At(place);
    const bool is_idle = point.kind == PointKind::kIdle && point.end >= ns;
    return is_idle || point.kind == PointKind::kEnd ? point.begin : ns;
  }

  // The location had waited for nobody before, so the path goes on at the location that created it.
  void Begin(uint32_t* location, int64_t* now) {
    const Point& first = graph_.At({*location, 0});
    Take(*location, first.begin, now);
    const uint32_t begun = *location;
    const replay::Process& process = world_.processes[world_.locations[begun].process];
    *location = first.edge != kNone ? graph_.EdgeAt(first.edge).partner.location : process.locations.front();
    const bool goes_on = *location != begun && graph_.size(*location) > 0 && graph_.At({*location, 0}).begin < *now;
    if (!goes_on) *location = kNone;
  }

  void Take(uint32_t location, int64_t from, int64_t* now) {
    at_once_ = from < *now ? 0 : at_once_ + 1;
    if (from >= *now) return;
    const bool same = !path_.slices.empty() && path_.slices.back().location == location;
    if (same) {
      path_.slices.back().from = from;
    } else {
      path_.slices.push_back({location, from, *now});
    }
    *now = from;
  }

  const Graph& graph_;
  const replay::World& world_;
  Path path_;
  uint64_t at_once_ = 0;  // steps that took no time
};

}  // namespace

Path FindPath(const Graph& graph, const replay::World& world, const archive::TimeLimit& limit) {
  return Walk(graph, world).Go(limit);
}

bool IsWhole(const Path& path) {
  int64_t now = path.begin;
  for (const graph::Slice& slice : path.slices) {
    if (slice.from != now || slice.to < slice.from) return false;
    now = slice.to;
  }
  return now == path.end;
}

}  // namespace epik::critical
