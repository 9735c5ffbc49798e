// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/point_rules.h"

#include <algorithm>

#include "analysis/approximation/liberal.h"
#include "analysis/approximation/placement.h"

namespace epik::approximation {

using graph::Edge;
using graph::EdgeKind;
using graph::Place;
using graph::Point;
using graph::PointKind;
using replay::Mode;
using replay::Role;

namespace {

// Whether a call of MPI communicates, so that its time is the network's. MPI_Init and MPI_Finalize do not.
bool IsCommunication(const Point& point) {
  const Role role = point.operation.role;
  return point.kind == PointKind::kCall && role > Role::kNone && role <= Role::kNeighbours;
}

// An iteration comes after the one before it, whichever thread is free.
bool HasOrder(const Point& point) { return point.operation.role == Role::kOrdered; }

// The time since which the thread only waited for the point.
int64_t WaitsSince(const Point& point) { return point.begin - point.polled; }

}  // namespace

// Times of a point in the measured run: when the thread waited for it and all its needs were there (`ready`); and when
// the last one that was still under way or missing when the wait began was sent or there (`sent`). A thread that asks
// in a loop asks again a while after all was there.
struct PointRules::Facts {
  int64_t ready;
  int64_t sent = INT64_MIN;
};

int64_t PointRules::HappenedAt(const Edge& edge) const {
  const Point& partner = graph_.At(edge.partner);
  return edge.kind == EdgeKind::kLock ? partner.end : partner.begin;
}

bool PointRules::Counts(const Point& point, const Edge& edge) const {
  // A call that is interrupted goes on later: its later part needs what was not there yet.
  if (point.interrupted && point.end < HappenedAt(edge)) return false;
  switch (edge.kind) {
    case EdgeKind::kFork: return true;
    case EdgeKind::kTeam: return !point.interrupted && point.end >= graph_.At(edge.partner).begin;
    case EdgeKind::kReceiver:
    case EdgeKind::kProgress:
    case EdgeKind::kTaker: return rules_.model != Model::kTime && !rules_.paper;
    case EdgeKind::kCreated:
    case EdgeKind::kTask: return false;  // they name the task that ended a wait; another run may wait for another task
    case EdgeKind::kEnded: return rules_.model == Model::kEvent;  // in other models another thread may run the task
    case EdgeKind::kLock:
    case EdgeKind::kMutex: return rules_.model != Model::kTime && (rules_.locks_wait || HasOrder(point));
    default: return rules_.model != Model::kTime;
  }
}

// The paper's case m.1: the receive began before the send was over.
bool PointRules::IsOverlapped(const Point& point, const Need& need) const {
  return WaitsSince(point) <= graph_.At(need.partner).end;
}

// The message could not leave before it was asked for.
bool PointRules::IsSynchronous(const Need& need) const {
  if (rules_.paper) return false;
  if (need.is_operation) return need.is_taken;
  return graph_.At(need.partner).operation.mode == Mode::kSynchronous ||
         transfers_.WaitsForReceiver(need.partner.location, need.bytes);
}

double PointRules::OnNetwork(const Point& point, const Need& need) const {
  const bool brings = need.kind == EdgeKind::kMessage || need.kind == EdgeKind::kMeeting;
  return brings && IsCommunication(point) ? rules_.network->Takes(need.bytes, need.members) : -1;
}

double PointRules::MoreByPlacement(uint32_t location, const Point& point, const Need& need) const {
  if (rules_.placement == nullptr || !IsCommunication(point)) return 0;
  if (need.meeting != graph::kNone) return rules_.placement->MoreForMeeting(need.meeting, need.bytes);
  if (need.kind != EdgeKind::kMessage) return 0;
  return rules_.placement->MoreForMessage(need.partner.location, location, need.bytes);
}

double PointRules::LagOf(const Point& point, const Need& need, const Facts& facts) const {
  const auto since = static_cast<double>(point.end - need.measured);
  const auto rest = static_cast<double>(point.end - facts.ready);
  if (need.kind != EdgeKind::kMessage || IsSynchronous(need)) return rest;
  // Comm_m: the time of a message that a receiver waited for. A message that came earlier may have been waiting for its
  // receiver.
  const bool waited = rules_.paper || rules_.bound != Bound::kLower || need.measured >= WaitsSince(point);
  if (IsOverlapped(point, need) && need.measured >= facts.sent && waited) return since;
  if (need.is_operation && rules_.bound == Bound::kEstimate) return rest;
  const bool is_limited = !rules_.paper && !need.is_operation;
  const double most = is_limited ? std::min(since, transfers_.Most(need.bytes)) : since;
  switch (rules_.bound) {
    case Bound::kUpper: return most;                                                   // Comm_a^upper
    case Bound::kLower: return std::min(2 * transfers_.LeastCopy(need.bytes), since);  // Comm_a^lower: 2·C(s)·s
    case Bound::kEstimate: break;
  }
  return std::min(transfers_.Usual(need.bytes), since);
}

// The time that the point waited for locks. The wish "locks are free" takes this time off.
double PointRules::ForLocks(const Point& point) const {
  int64_t waited = 0;
  if (rules_.locks_wait || rules_.model == Model::kTime || HasOrder(point)) return 0;
  graph_.ForEachEdge(point, [&](const Edge& edge) {
    if (edge.kind == EdgeKind::kLock || edge.kind == EdgeKind::kMutex) waited += edge.Waited();
  });
  return static_cast<double>(waited);
}

// The work of the location itself, after everything that it needs is there.
double PointRules::LocalOf(const Point& point, const std::vector<Need>& needs, const Facts& facts) const {
  const auto lasted = static_cast<double>(point.end - point.begin);
  const auto rest = static_cast<double>(point.end - std::max(point.begin, facts.ready));
  double copies = 0;
  bool overlapped = false, has_message = false, meets = false;
  for (const Need& need : needs) {
    if (need.kind != EdgeKind::kMessage || IsSynchronous(need)) {
      meets = true;
      continue;
    }
    has_message = true;
    meets |= need.is_operation && rules_.bound != Bound::kLower && !rules_.paper;
    // The time of copying is not known, but it is no longer than all that followed the begin of the send.
    meets |= rules_.bound == Bound::kUpper && !rules_.paper && !transfers_.KnowsCopy(need.bytes);
    overlapped |= IsOverlapped(point, need);
    copies += rules_.bound == Bound::kLower || rules_.paper ? transfers_.LeastCopy(need.bytes)  // C(s)·s
                                                            : transfers_.UsualCopy(need.bytes);
  }
  const double for_tasks = rules_.rescheduled != nullptr ? rules_.rescheduled->SavedInWait(point) : 0;
  if (needs.empty()) return lasted - ForLocks(point) - for_tasks;
  if (!has_message) return rest;
  const bool copies_only = overlapped || rules_.bound == Bound::kLower || rules_.paper;
  // The call does not work while it waits for its other needs. A message that came before the call leaves the rest of
  // the call's time as its cost.
  const double local = std::min(lasted, copies_only ? copies : rest);
  return meets ? std::max(local, std::min(rest, lasted)) : local;
}

void PointRules::End(Place place, const std::vector<Need>& needs, Moment* moment) const {
  const Point& point = graph_.At(place);
  const uint32_t location = place.location;
  const bool is_first = place.point == 0;
  Facts facts{WaitsSince(point)};
  for (const Need& need : needs) {
    facts.ready = std::max(facts.ready, need.measured);
    const bool counts = need.kind == EdgeKind::kMessage ? IsOverlapped(point, need) : need.measured > WaitsSince(point);
    if (counts) facts.sent = std::max(facts.sent, need.measured);
  }
  const double saved = change_.SavedInside(location, point);
  const bool is_network = rules_.network != nullptr && IsCommunication(point);
  double local = LocalOf(point, needs, facts);
  if (is_network && !rules_.network->CallsTakeTime()) local = 0;
  if (is_first && !needs.empty()) moment->begin = needs.front().ready;
  moment->decided_by = Place();
  moment->end = moment->begin + std::max(0.0, local - saved);
  for (const Need& need : needs) {
    const double on_network = is_network ? OnNetwork(point, need) : -1;
    // The trace knows nothing of the begin of a location except which location began it.
    const double lag = on_network >= 0 ? on_network
                       : is_first      ? static_cast<double>(point.end - need.measured)
                                       : LagOf(point, need, facts) - saved + MoreByPlacement(location, point, need);
    const double end = need.ready + std::max(0.0, lag);
    if (end <= moment->end) continue;
    moment->end = end;
    moment->decided_by = need.partner;
  }
  if (is_first && !needs.empty()) moment->begin = moment->end;
}

}  // namespace epik::approximation
