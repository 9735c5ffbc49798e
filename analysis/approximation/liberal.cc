// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/liberal.h"

#include <algorithm>
#include <unordered_set>

namespace epik::approximation {

using epitome::Profile;
using graph::Cell;
using graph::Edge;
using graph::EdgeKind;
using graph::Graph;
using graph::MeetingMember;
using graph::Place;
using graph::Point;
using graph::PointKind;

namespace {

constexpr int kHalvings = 60;

bool IsDynamicLoop(const epitome::Region& region) {
  return region.paradigm == "openmp" && region.role == "loop" &&
         (region.name.starts_with("for dynamic") || region.name.starts_with("for guided"));
}

// Where the work of a team before a barrier begins: at the fork, at the begin of the thread's part, at the barrier
// before.
bool BeginsPhase(const Point& point) {
  return point.kind == PointKind::kFork || point.kind == PointKind::kIdle ||
         (point.kind == PointKind::kCall && replay::IsTeamBarrier(point.operation.role));
}

}  // namespace

std::vector<bool> SharedWork(const Profile& profile) {
  std::vector<bool> shared(profile.call_paths.size());
  for (uint32_t path = 0; path < shared.size(); ++path) {
    const epitome::CallPath& call = profile.call_paths[path];
    const epitome::Region& region = profile.regions[call.region];
    const bool inside = call.parent != epitome::kNone && shared[call.parent] && region.role != "parallel";
    shared[path] = inside || IsDynamicLoop(region);
  }
  return shared;
}

Rescheduled::Rescheduled(const Graph& graph, const Change& change, const std::vector<bool>& shared, Bound bound)
    : graph_(graph), change_(change), shared_(shared), bound_(bound) {
  if (std::find(shared.begin(), shared.end(), true) == shared.end()) return;
  std::unordered_set<uint32_t> seen;
  std::vector<Member> members;
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      graph.ForEachEdge(graph.At({l, p}), [&](const Edge& edge) {
        if (edge.kind != EdgeKind::kTeam || edge.meeting == graph::kNone || !seen.insert(edge.meeting).second) return;
        members.clear();
        bool knows_all = true;
        for (const MeetingMember& member : graph.MembersOf(graph.MeetingAt(edge.meeting))) {
          knows_all &= member.place.IsKnown();
          if (member.place.IsKnown()) members.push_back(Look(member.place));
        }
        if (knows_all) ShareOut(&members);
      });
    }
  }
}

Rescheduled::Member Rescheduled::Look(Place barrier) const {
  Member member;
  const uint32_t l = barrier.location;
  for (Place place = barrier; place.point > 0; --place.point) {
    const Point& point = graph_.At(place);
    const Point& before = graph_.At({l, place.point - 1});
    double work = 0, saved = change_.SavedInside(l, point), saved_work = 0;
    bool has_shared = false;
    for (const Cell& cell : graph_.Segment(point)) {
      const double goes = cell.visits * change_.SavedAtVisit(l, cell.path) +
                          static_cast<double>(cell.ns) * change_.SavedShare(l, cell.path);
      saved += goes;
      if (cell.path >= shared_.size() || !shared_[cell.path]) continue;
      has_shared = member.takes_part = true;
      work += static_cast<double>(cell.ns);
      saved_work += goes;
    }
    const auto segment = static_cast<double>(point.begin - before.end);
    const double left = std::max(0.0, segment - saved);  // as the forward pass computes it
    const double work_left = std::min(left, std::max(0.0, work - saved_work));
    if (has_shared) member.pieces.push_back({place, work_left});
    member.measured += segment;
    member.work += work_left;
    member.work_measured += work;
    member.other += left - work_left;
    if (BeginsPhase(before)) break;
    const auto inside = static_cast<double>(before.end - before.begin);
    member.measured += inside;
    member.other += inside;
  }
  return member;
}

void Rescheduled::ShareOut(std::vector<Member>* members) {
  std::erase_if(*members, [](const Member& member) { return !member.takes_part; });
  if (members->size() < 2) return;
  double work = 0, work_measured = 0, mean = 0, most = 0;
  for (const Member& member : *members) {
    work += member.work;
    work_measured += member.work_measured;
    mean += member.measured / static_cast<double>(members->size());
    most = std::max(most, member.other);
  }
  if (work <= 0 || work_measured <= 0) return;
  ++loops_;
  // How far apart they come: pieces became shorter as all work did.
  const double apart = bound_ == Bound::kLower ? 0 : std::min(1.0, work / work_measured);
  const auto share_of = [&](const Member& member, double until) {
    return std::max(0.0, until + apart * (member.measured - mean) - member.other);
  };
  double low = -apart * mean, high = most + work + mean;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (const Member& member : *members) sum += share_of(member, middle);
    (sum < work ? low : high) = middle;
  }
  for (const Member& member : *members) {
    const double less = member.work - share_of(member, high);
    for (const Piece& piece : member.pieces) {
      const double part = member.work > 0 ? piece.work / member.work : 1.0 / static_cast<double>(member.pieces.size());
      saved_[KeyOf(piece.place)] += less * part;
    }
  }
}

}  // namespace epik::approximation
