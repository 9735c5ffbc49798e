// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/liberal.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace epik::approximation {

using archive::Profile;
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

bool IsDynamicLoop(const archive::Region& region) {
  return region.paradigm == "openmp" && region.role == "loop" &&
         (region.name.starts_with("for dynamic") || region.name.starts_with("for guided"));
}

bool IsTask(const archive::Region& region) { return region.paradigm == "openmp" && region.role == "task"; }

// Whether the work of a team before a barrier begins at this point: a fork, the begin of the thread's part, or the
// barrier before.
bool BeginsPhase(const Point& point) {
  return point.kind == PointKind::kFork || point.kind == PointKind::kIdle ||
         (point.kind == PointKind::kCall && replay::IsTeamBarrier(point.operation.role) && !point.interrupted);
}

}  // namespace

std::vector<Shared> SharedWork(const Profile& profile) {
  std::vector<Shared> shared(profile.call_paths.size(), Shared::kNo);
  for (uint32_t path = 0; path < shared.size(); ++path) {
    const archive::CallPath& call = profile.call_paths[path];
    const archive::Region& region = profile.regions[call.region];
    if (call.parent != archive::kNone && region.role != "parallel") shared[path] = shared[call.parent];
    if (IsDynamicLoop(region)) shared[path] = Shared::kLoop;
    if (IsTask(region)) shared[path] = Shared::kTask;
  }
  return shared;
}

Rescheduled::Rescheduled(const Graph& graph, const Change& change, std::vector<Shared> shared, Bound bound)
    : graph_(graph), change_(change), shared_(std::move(shared)), bound_(bound) {
  if (std::all_of(shared_.begin(), shared_.end(), [](Shared s) { return s == Shared::kNo; })) return;
  std::unordered_set<uint32_t> seen;
  std::vector<Member> members;
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      graph.ForEachEdge(graph.At({l, p}), [&](const Edge& edge) {
        if (edge.kind != EdgeKind::kTeam || edge.meeting == graph::kNone || !seen.insert(edge.meeting).second) return;
        members.clear();
        bool knows_all = true;
        for (const MeetingMember& member : graph.MembersOf(graph.MeetingAt(edge.meeting))) {
          knows_all &= member.completed.IsKnown();
          if (member.completed.IsKnown()) members.push_back(Look(member.completed));
        }
        if (knows_all) ShareOut(&members);
      });
    }
  }
}

// Adds the segment before the place, with the times that the forward pass gives it.
void Rescheduled::LookAt(Place place, Member* member) const {
  const uint32_t l = place.location;
  const Point& point = graph_.At(place);
  const Point& before = graph_.At({l, place.point - 1});
  double work = 0, saved = change_.SavedInside(l, point), saved_work = 0;
  bool has_loop = false, has_task = false;
  for (const Cell& cell : graph_.Segment(point)) {
    const double goes = change_.SavedIn(graph_, place, cell);
    saved += goes;
    const Shared shared = cell.path < shared_.size() ? shared_[cell.path] : Shared::kNo;
    if (shared == Shared::kNo) continue;
    (shared == Shared::kTask ? has_task : has_loop) = true;
    work += static_cast<double>(cell.ns);
    saved_work += goes;
  }
  const auto segment = static_cast<double>(point.begin - before.end);
  const double left = std::max(0.0, segment - saved);
  const double work_left = std::min(left, std::max(0.0, work - saved_work));
  if (has_loop || has_task) member->pieces.push_back({place, work_left});
  member->has_loop |= has_loop;
  member->has_tasks |= has_task;
  if (has_task) member->longest = std::max(member->longest, work_left);
  member->measured += segment;
  member->work += work_left;
  member->work_measured += work;
  member->other += left - work_left;
}

// For the least time, nobody waits at a taskwait: other threads would have done the tasks by then.
double Rescheduled::SavedInWait(const Point& point) const {
  int64_t waited = 0;
  if (bound_ != Bound::kLower || point.operation.role != replay::Role::kTaskWait) return 0;
  graph_.ForEachEdge(point, [&](const Edge& edge) {
    if (edge.kind == EdgeKind::kTask || edge.kind == EdgeKind::kCreated) waited += edge.Waited();
  });
  return static_cast<double>(waited);
}

// The same is true in a barrier: a task is always there when a thread is free.
double Rescheduled::WaitedForTask(const Point& point) const {
  double waited = SavedInWait(point);
  if (bound_ != Bound::kLower || !point.interrupted || waited > 0) return waited;
  graph_.ForEachEdge(point, [&](const Edge& edge) {
    if (edge.kind != EdgeKind::kMade) return;
    const int64_t made = std::min(graph_.At(edge.partner).begin, point.end);
    waited = std::max(waited, static_cast<double>(made - point.begin));
  });
  return waited;
}

Rescheduled::Member Rescheduled::Look(Place barrier) const {
  Member member;
  member.barrier = barrier;
  for (Place place = barrier; place.point > 0; --place.point) {
    LookAt(place, &member);
    const Point& before = graph_.At({place.location, place.point - 1});
    member.begun = before.end;
    if (BeginsPhase(before)) break;
    const auto inside = static_cast<double>(before.end - before.begin);
    member.measured += inside;
    member.other += inside - WaitedForTask(before);
  }
  return member;
}

// Nanoseconds of the work that each member does, so that all come to the barrier at one time, or at distances that are
// `apart` times the measured ones.
std::vector<double> Rescheduled::Shares(const std::vector<Member>& members, double work, double apart) {
  double mean = 0, most = 0;
  for (const Member& member : members) {
    mean += member.measured / static_cast<double>(members.size());
    most = std::max(most, member.other);
  }
  const auto share_of = [&](const Member& member, double until) {
    return std::max(0.0, until + apart * (member.measured - mean) - member.other);
  };
  double low = -apart * mean, high = most + work + mean;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (const Member& member : members) sum += share_of(member, middle);
    (sum < work ? low : high) = middle;
  }
  std::vector<double> shares;
  for (const Member& member : members) shares.push_back(share_of(member, high));
  return shares;
}

// A task has a single thread. So one thread has the longest task, and in the worst case it begins this task when all
// others are done.
void Rescheduled::LimitByTasks(const std::vector<Member>& members, double work, std::vector<double>* shares) const {
  const auto until = [&](size_t m) { return members[m].other + (*shares)[m]; };
  size_t first = 0, last = 0;
  double longest = 0, mean = work;
  for (size_t m = 0; m < members.size(); ++m) {
    if (members[m].other < members[first].other) first = m;
    if (until(m) > until(last)) last = m;
    longest = std::max(longest, members[m].longest);
    mean += members[m].other;
  }
  const auto count = static_cast<double>(members.size());
  mean /= count;
  if (bound_ != Bound::kLower) {
    const double latest = std::max(mean + longest * (1 - 1 / count), until(last));
    if (bound_ == Bound::kUpper) (*shares)[last] += latest - until(last);
    return;
  }
  if (members[first].other + longest <= until(last) || longest <= (*shares)[first]) return;
  const double others = work - (*shares)[first];
  for (size_t m = 0; m < members.size(); ++m) {
    if (m != first && others > 0) (*shares)[m] *= (work - longest) / others;
  }
  (*shares)[first] = longest;
}

// Threads without a piece took no part in a loop, so they are left out. Any thread that comes to the barrier may run
// tasks there.
void Rescheduled::ShareOut(std::vector<Member>* members) {
  const bool has_tasks = std::any_of(members->begin(), members->end(), [](const Member& m) { return m.has_tasks; });
  std::erase_if(*members, [&](const Member& member) { return !has_tasks && !member.has_loop; });
  if (members->size() < 2) return;
  const auto first = std::min_element(members->begin(), members->end(),
                                      [](const Member& a, const Member& b) { return a.begun < b.begun; });
  const int64_t begun = first->begun;
  double work = 0, work_measured = 0;
  for (Member& member : *members) {
    const auto late = static_cast<double>(member.begun - begun);
    member.measured += late;
    member.other += late;
    work += member.work;
    work_measured += member.work_measured;
  }
  if (work <= 0 || work_measured <= 0) return;
  // Pieces became shorter by the same share as all the work.
  const double apart = bound_ == Bound::kLower ? 0 : std::min(1.0, work / work_measured);
  std::vector<double> shares = Shares(*members, work, apart);
  if (has_tasks) LimitByTasks(*members, work, &shares);
  for (size_t m = 0; m < members->size(); ++m) {
    const Member& member = (*members)[m];
    const double less = member.work - shares[m];
    for (const Piece& piece : member.pieces) {
      const double part = member.work > 0 ? piece.work / member.work : 1.0 / static_cast<double>(member.pieces.size());
      saved_[KeyOf(piece.place)] += less * part;
    }
    if (member.pieces.empty()) saved_[KeyOf(member.barrier)] += less;
  }
}

}  // namespace epik::approximation
