// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/causes/waits.h"

#include <algorithm>
#include <utility>

namespace epik::causes {

using graph::Edge;
using graph::Graph;
using graph::kNone;

Waits::Waits(const Graph& graph, graph::Store* store)
    : graph_(graph), waits_(store), of_block_(graph.locations()), forks_(graph.locations()) {
  first_.reserve(graph.locations() + 1);
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    first_.push_back(waits_.size());
    of_block_[l].reserve(graph.size(l) / kInBlock + 1);
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      if (p % kInBlock == 0) of_block_[l].push_back(waits_.size());
      AddPoint({l, p});
      AddFork({l, p});
    }
  }
  first_.push_back(waits_.size());
}

// The newest edge, which ended last, comes first.
void Waits::AddPoint(graph::Place place) {
  const graph::Point& point = graph_.At(place);
  // A message has an edge to its sender, waited for or not.
  if (point.edge == kNone && point.operation.role == replay::Role::kReceive && !point.operation.immediate) {
    without_sender_[{place.location, point.path}] += point.end - point.begin;
  }
  if (point.waited_until == INT64_MIN) return;
  const uint64_t first = waits_.size();
  for (uint32_t e = point.edge; e != kNone; e = graph_.EdgeAt(e).next) {
    const Edge& edge = graph_.EdgeAt(e);
    if (edge.Waited() > 0) waits_.Append({edge.to, edge.partner, place.point, e});
  }
  if (waits_.size() == first) waits_.Append({point.waited_until, {}, place.point, kNone});
  for (uint64_t one = first, other = waits_.size(); one + 1 < other; ++one) std::swap(waits_[one], waits_[--other]);
}

// An idle point that comes from the creation of a team or of a thread ends there.
void Waits::AddFork(graph::Place place) {
  const graph::Point& point = graph_.At(place);
  if (point.kind != graph::PointKind::kIdle || point.edge == kNone) return;
  const Edge& edge = graph_.EdgeAt(point.edge);
  if (edge.kind != graph::EdgeKind::kFork) return;
  const bool is_birth = graph_.At(edge.partner).operation.role != replay::Role::kMakeTeam;
  forks_[place.location].push_back({edge.to, point.end, std::max(edge.to, point.begin), edge.partner, is_birth});
}

const Waits::Fork* Waits::LastFork(uint32_t location, int64_t ns) const {
  const std::vector<Fork>& forks = forks_[location];
  const auto after =
      std::upper_bound(forks.begin(), forks.end(), ns, [](int64_t at, const Fork& fork) { return at < fork.had; });
  return after == forks.begin() ? nullptr : &after[-1];
}

int64_t Waits::BornAt(uint32_t location, int64_t ns) const {
  const Fork* fork = LastFork(location, ns);
  while (fork != nullptr && !fork->is_birth && fork->had == fork->ns) {
    fork = fork == forks_[location].data() ? nullptr : fork - 1;
  }
  return fork == nullptr ? INT64_MIN : fork->begun;
}

uint64_t Waits::EndAt(graph::Place place) const {
  const std::vector<uint64_t>& blocks = of_block_[place.location];
  const uint32_t block = place.point / kInBlock;
  uint64_t low = blocks[block], high = block + 1 < blocks.size() ? blocks[block + 1] : first_[place.location + 1];
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (waits_[middle].point <= place.point) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

WaitsBackwards::WaitsBackwards(const Waits& waits, uint32_t location, int64_t until, uint32_t near)
    : waits_(&waits), begin_(waits.Begin(location)), next_(begin_) {
  const graph::Place place = waits.graph().Before(location, until, near);
  if (!place.IsKnown()) return;
  point_ = place.point;
  next_ = waits.EndAt(place);
  Find();
  while (IsThere() && now().to > until) Next();
}

WaitsBackwards::WaitsBackwards(const Waits& waits, uint32_t location, uint64_t before)
    : waits_(&waits), begin_(waits.Begin(location)), next_(before), point_(waits[before].point) {
  const int64_t from = waits.graph().EdgeAt(waits[before].edge).from;
  Find();
  while (IsThere() && now().to > from) Next();
}

void WaitsBackwards::Next() {
  --next_;
  Find();
}

// From this wait on, those before it.
void WaitsBackwards::Find() {
  for (; IsThere(); --next_) {
    if (now().point != point_) ++seen_;
    point_ = now().point;
    if (now().edge != kNone) return;
  }
  point_ = 0;
}

AllWaitsBackwards::AllWaitsBackwards(const Waits& waits) : number_of_(waits.graph().locations(), kNone) {
  const uint32_t locations = waits.graph().locations();
  for (uint32_t l = 0; l < locations; ++l) of_.emplace_back(waits, l, INT64_MAX);
  for (uint32_t l = 0; l < locations; ++l) Push(l);
}

void AllWaitsBackwards::Push(uint32_t location) {
  if (!of_[location].IsThere()) return;
  heap_.push_back({of_[location].now().to, location});
  std::push_heap(heap_.begin(), heap_.end());
}

// A wait that leads to no other one has depth 0. Wrong clocks may make a circle: it is left where it closes.
void AllWaitsBackwards::FindDepths() {
  for (uint32_t n = 0; n < together_.size(); ++n) number_of_[together_[n].turn.location] = n;
  const auto next = [&](uint32_t number) {
    const uint32_t partner = together_[number].partner;
    return partner == kNone ? kNone : number_of_[partner];
  };
  for (uint32_t n = 0; n < together_.size(); ++n) {
    uint32_t at = n;
    for (; at != kNone && together_[at].depth == kNone; at = next(at)) {
      together_[at].depth = 0;
      way_.push_back(at);
    }
    uint32_t depth = at == kNone ? 0 : together_[at].depth + 1;
    for (; !way_.empty(); way_.pop_back()) together_[way_.back()].depth = depth++;
  }
  for (const Together& one : together_) number_of_[one.turn.location] = kNone;
}

void AllWaitsBackwards::TakeThoseThatEndTogether() {
  const int64_t to = heap_.front().to;
  while (!heap_.empty() && heap_.front().to == to) {
    const uint32_t l = heap_.front().location;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    together_.push_back({{l, of_[l].number()}, of_[l].now().partner.location});
    of_[l].Next();
    Push(l);
  }
  if (together_.size() == 1) return;
  FindDepths();
  const auto is_before = [](const Together& one, const Together& other) { return one.depth < other.depth; };
  if (!std::is_sorted(together_.begin(), together_.end(), is_before)) {
    std::stable_sort(together_.begin(), together_.end(), is_before);
  }
}

bool AllWaitsBackwards::Next(Turn* turn) {
  if (together_.empty()) {
    if (heap_.empty()) return false;
    TakeThoseThatEndTogether();
  }
  *turn = together_.back().turn;
  together_.pop_back();
  return true;
}

}  // namespace epik::causes
