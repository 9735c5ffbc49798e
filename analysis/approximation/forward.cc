// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/forward.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "analysis/approximation/liberal.h"
#include "analysis/approximation/point_rules.h"

namespace epik::approximation {

using graph::Edge;
using graph::EdgeKind;
using graph::Graph;
using graph::kNone;
using graph::Meeting;
using graph::Place;
using graph::Point;
using graph::PointKind;
using replay::Role;

namespace {

// Goes on with each location until it comes to a point that needs another point which has no time yet. The location
// that gives that point its time wakes it.
class Pass {
 public:
  Pass(const Graph& graph, const std::vector<uint32_t>& leaders, const Transfers& transfers, const Change& change,
       const Rules& rules)
      : graph_(graph),
        leaders_(leaders),
        change_(change),
        rules_(rules),
        point_rules_(graph, transfers, change, rules),
        states_(graph.locations()) {
    times_.points.resize(graph.locations());
    for (uint32_t l = 0; l < graph.locations(); ++l) {
      times_.points[l].resize(graph.size(l));
      open_ += graph.size(l) > 0 ? 1 : 0;
      runnable_.push_back(l);
    }
  }

  Times Run() {
    while (open_ > 0) {
      if (runnable_.empty()) ForceOne();
      const uint32_t location = runnable_.front();
      runnable_.pop_front();
      Go(location);
    }
    return std::move(times_);
  }

 private:
  struct State {
    uint32_t next = 0;    // point
    bool begun = false;   // the begin of the point is known
    bool forced = false;  // goes on without the points that it needs
    bool queued = true;
    std::vector<uint32_t> waiters;  // locations that need this one to go on
  };
  // The members of a meeting that were looked at and have come: nobody looks at them again.
  struct Gathered {
    uint32_t seen = 0;
    double ready = -std::numeric_limits<double>::infinity();
    int64_t measured = INT64_MIN;
    Place last;
  };

  void Go(uint32_t location) {
    State& state = states_[location];
    state.queued = false;
    const uint32_t size = graph_.size(location);
    bool moved = false;
    while (state.next < size) {
      if (!state.begun) {
        Begin(location);
        state.begun = moved = true;
      }
      if (!End(location)) break;
      state.forced = false;
      state.begun = false;
      moved = true;
      if (++state.next == size) --open_;
    }
    if (!moved) return;
    for (const uint32_t waiter : state.waiters) Queue(waiter);
    state.waiters.clear();
  }

  void Queue(uint32_t location) {
    if (states_[location].queued) return;
    states_[location].queued = true;
    runnable_.push_back(location);
  }

  // Needed only where the trace contradicts itself. The location that is furthest behind by measured times goes on.
  void ForceOne() {
    uint32_t furthest = kNone;
    int64_t least = INT64_MAX;
    for (uint32_t l = 0; l < states_.size(); ++l) {
      if (states_[l].next >= graph_.size(l)) continue;
      const int64_t begin = graph_.At({l, states_[l].next}).begin;
      if (furthest != kNone && begin >= least) continue;
      least = begin;
      furthest = l;
    }
    states_[furthest].forced = true;
    ++times_.forced;
    Queue(furthest);
  }

  void Begin(uint32_t location) {
    const uint32_t p = states_[location].next;
    const Point& point = graph_.At({location, p});
    Moment& moment = times_.points[location][p];
    if (p == 0) {
      moment.begin = static_cast<double>(point.begin);
      return;
    }
    const Point& before = graph_.At({location, p - 1});
    double saved = change_.SavedBefore(graph_, {location, p});
    if (rules_.rescheduled != nullptr) saved += rules_.rescheduled->SavedBefore({location, p});
    auto measured = static_cast<double>(point.begin - before.end);
    if (point.polled > 0) {
      const double waited = WaitedByPolling(point);
      measured -= waited;
      saved -=
          waited / static_cast<double>(point.polled) * point.polls * change_.SavedAtVisit(location, point.poll_path);
    }
    moment.begin = times_.points[location][p - 1].end + std::max(0.0, measured - saved);
  }

  // A thread that asks again and again is waiting, until all that the point needs is there.
  double WaitedByPolling(const Point& point) const {
    const int64_t since = point.begin - point.polled;
    int64_t ready = since;
    graph_.ForEachEdge(point, [&](const Edge& edge) {
      if (!edge.partner.IsKnown() || !point_rules_.Counts(point, edge)) return;
      ready = std::max(ready, graph_.At(edge.partner).begin);
    });
    return static_cast<double>(std::min(ready - since, point.polled));
  }

  bool HasBegun(Place place) const {
    const State& state = states_[place.location];
    return place.point < state.next || (place.point == state.next && state.begun);
  }
  bool HasEnded(Place place) const { return place.point < states_[place.location].next; }

  // Returns false when `location` has to wait for the place, and notes it there.
  bool Await(uint32_t location, Place place, bool to_end) {
    if (to_end ? HasEnded(place) : HasBegun(place)) return true;
    if (states_[location].forced || place.location == location) return false;
    std::vector<uint32_t>& waiters = states_[place.location].waiters;
    if (waiters.empty() || waiters.back() != location) waiters.push_back(location);
    return false;
  }

  // Finds all points that this point needs, with their times in the approximation. Returns false when some of these
  // times are not known yet.
  bool Collect(uint32_t location, uint32_t p, const Point& point) {
    needs_.clear();
    const bool goes_on = states_[location].forced;
    bool all = true;
    graph_.ForEachEdge(point, [&](const Edge& edge) {
      if (!all || !edge.partner.IsKnown() || !point_rules_.Counts(point, edge)) return;
      all = (edge.kind == EdgeKind::kMeeting || edge.kind == EdgeKind::kTeam) && edge.meeting != kNone
                ? CollectMeeting(location, Place{location, p}, edge)
                : CollectOne(location, edge);
      all |= goes_on;
    });
    if (all && p == 0 && needs_.empty()) all = CollectLeader(location, point) || goes_on;
    return all;
  }

  // The trace may lack the time at which a lock of libc was given back. Then its holder worked from its last point
  // until the next thread had the lock. The same share of this work is saved as of all its work to its next point.
  bool CollectMutex(uint32_t location, const Edge& edge) {
    const Point& partner = graph_.At(edge.partner);
    const bool to_end = partner.end <= edge.to;
    const Place next{edge.partner.location, edge.partner.point + 1};
    if (!Await(location, edge.partner, to_end)) return false;
    const int64_t since = to_end ? partner.end : partner.begin;
    auto until = static_cast<double>(std::max<int64_t>(edge.to - since, 0));
    if (to_end && next.point < graph_.size(next.location)) {
      const Point& after = graph_.At(next);
      const auto lasted = static_cast<double>(after.begin - partner.end);
      const double saved = change_.SavedBefore(graph_, next);
      if (lasted > 0) until *= std::clamp(1 - saved / lasted, 0.0, std::max(1.0, 1 - saved / lasted));
    }
    const Moment& moment = times_.At(edge.partner);
    needs_.push_back({edge.kind, edge.partner, 0, 2, false, (to_end ? moment.end : moment.begin) + until, edge.to});
    return true;
  }

  bool CollectOne(uint32_t location, const Edge& edge) {
    if (edge.kind == EdgeKind::kMutex) return CollectMutex(location, edge);
    // A lock is free when the point that gives it back has ended.
    const bool to_end = edge.kind == EdgeKind::kLock;
    if (!Await(location, edge.partner, to_end)) return false;
    const Point& partner = graph_.At(edge.partner);
    const Moment& moment = times_.At(edge.partner);
    needs_.push_back({edge.kind, edge.partner, edge.bytes, 2, edge.kind == EdgeKind::kMeeting,
                      to_end ? moment.end : moment.begin, to_end ? partner.end : partner.begin, graph::kNone});
    return true;
  }

  bool CollectMeeting(uint32_t location, Place place, const Edge& edge) {
    const Meeting& meeting = graph_.MeetingAt(edge.meeting);
    const auto members = graph_.MembersOf(meeting);
    const auto count = static_cast<uint32_t>(members.size());
    const Role role = meeting.operation.role;
    if ((role == Role::kNeighbours && !edge.from_all) || members.empty()) return CollectOne(location, edge);
    if (role == Role::kOneToAll) {
      if (!CollectOne(location, edge)) return false;
      for (const graph::MeetingMember& member : members) {
        if (member.completed == place) needs_.back().bytes = member.in;
      }
      // The begin of the root is the send, and the ends of the others are their receives (2005, 1-to-n).
      needs_.back().kind = EdgeKind::kMessage;
      needs_.back().members = count;
      needs_.back().meeting = edge.meeting;
      needs_.back().is_taken = IsTaken(edge.partner, place);
      return true;
    }
    if (role != Role::kScan) return CollectAll(location, edge, members);
    Need need{EdgeKind::kMeeting, edge.partner, 0, count, true, -std::numeric_limits<double>::infinity(),
              INT64_MIN,          edge.meeting};
    for (const graph::MeetingMember& member : members) {
      if (member.place.IsKnown() && !TakeMember(location, member.place, &need)) return false;
      need.bytes = std::max(need.bytes, member.in);
      if (member.completed == place) break;
    }
    if (need.measured != INT64_MIN) needs_.push_back(need);
    return true;
  }

  // Whether the giver's part of an operation waited until the taker had begun its own.
  bool IsTaken(Place giver, Place taker) const {
    bool is_taken = false;
    graph_.ForEachEdge(graph_.At(giver),
                       [&](const Edge& edge) { is_taken |= edge.kind == EdgeKind::kTaker && edge.partner == taker; });
    return is_taken;
  }

  bool TakeMember(uint32_t location, Place place, Need* need) {
    if (!Await(location, place, false)) return states_[location].forced;
    const double begin = times_.At(place).begin;
    if (begin > need->ready) {
      need->ready = begin;
      need->partner = place;
    }
    need->measured = std::max(need->measured, graph_.At(place).begin);
    return true;
  }

  // All members need all members that give data, or those of one group, or a single member needs them.
  bool CollectAll(uint32_t location, const Edge& edge, std::span<const graph::MeetingMember> members) {
    Gathered& gathered = gathered_[{edge.meeting, edge.group}];
    const uint32_t first_remote = graph_.MeetingAt(edge.meeting).first_remote;
    const size_t end = edge.group == 1 ? std::min<size_t>(first_remote, members.size()) : members.size();
    if (edge.group == 2) gathered.seen = std::max(gathered.seen, first_remote);
    const auto count = static_cast<uint32_t>(members.size());
    Need need{edge.kind, gathered.last, 0, count, true, gathered.ready, gathered.measured, edge.meeting};
    const Role role = graph_.MeetingAt(edge.meeting).operation.role;
    // Nobody waits for a member that gives no data.
    const bool brings_data = role == Role::kAllToAll || role == Role::kAllToOne || role == Role::kNeighbours;
    while (gathered.seen < end) {
      const graph::MeetingMember& member = members[gathered.seen];
      // Nobody leaves the barrier of a team before all tasks are done.
      const Place came = edge.kind == EdgeKind::kTeam ? member.completed : member.place;
      const bool is_needed = !brings_data || member.out != 0;
      if (is_needed && came.IsKnown() && !TakeMember(location, came, &need)) return false;
      gathered = {gathered.seen + 1, need.ready, need.measured, need.partner};
    }
    need.bytes = members.empty() ? 0 : std::max(members.front().in, members.front().out);
    if (need.measured != INT64_MIN) needs_.push_back(need);
    return true;
  }

  // If the trace does not tell which thread made this one, it began when the first thread of its process had come that
  // far.
  bool CollectLeader(uint32_t location, const Point& point) {
    const uint32_t leader = leaders_[location];
    if (leader == location) return true;
    const Place place = graph_.Before(leader, point.begin);
    if (!place.IsKnown()) return true;
    if (!Await(location, place, true)) return false;
    const int64_t measured = std::min(graph_.At(place).end, point.begin);
    needs_.push_back({EdgeKind::kFork, place, 0, 2, false, times_.At(place).end, measured});
    return true;
  }

  bool End(uint32_t location) {
    const uint32_t p = states_[location].next;
    const Point& point = graph_.At({location, p});
    if (!Collect(location, p, point)) return false;
    Moment& moment = times_.points[location][p];
    point_rules_.End({location, p}, needs_, &moment);
    // A test that got something lasts as long as it did, because the thread asked in vain until then. Nobody awaits its
    // begin.
    if (point.polled > 0 && point.operation.role == Role::kTest) {
      moment.begin = std::max(moment.begin, moment.end - static_cast<double>(point.end - point.begin));
    }
    return true;
  }

  const Graph& graph_;
  const std::vector<uint32_t>& leaders_;
  const Change& change_;
  const Rules& rules_;
  const PointRules point_rules_;
  std::vector<State> states_;
  std::map<std::pair<uint32_t, uint8_t>, Gathered> gathered_;  // by meeting and group
  std::vector<Need> needs_;                                    // scratch
  std::deque<uint32_t> runnable_;
  uint32_t open_ = 0;
  Times times_;
};

}  // namespace

Times Forward(const Graph& graph, const std::vector<uint32_t>& leaders, const Transfers& transfers,
              const Change& change, const Rules& rules) {
  return Pass(graph, leaders, transfers, change, rules).Run();
}

Times Measured(const Graph& graph) {
  Times times;
  times.points.resize(graph.locations());
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      const Point& point = graph.At({l, p});
      times.points[l].push_back({static_cast<double>(point.begin), static_cast<double>(point.end), {}});
    }
  }
  return times;
}

double Times::Begin() const {
  double begin = std::numeric_limits<double>::infinity();
  for (const auto& moments : points) {
    if (!moments.empty()) begin = std::min(begin, moments.front().begin);
  }
  return begin;
}

double Times::End() const {
  double end = -std::numeric_limits<double>::infinity();
  for (const auto& moments : points) {
    if (!moments.empty()) end = std::max(end, moments.back().end);
  }
  return end;
}

double Times::Lasted(uint32_t location) const {
  const std::vector<Moment>& moments = points[location];
  return moments.empty() ? 0 : moments.back().end - moments.front().begin;
}

}  // namespace epik::approximation
