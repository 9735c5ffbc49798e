// SPDX-License-Identifier: BSD-3-Clause
// Turns the facts of replay into edges between points.
#include <algorithm>

#include "analysis/graph/builder.h"
#include "analysis/replay/stretches.h"

namespace epik::graph {

using replay::Role;

namespace {

EdgeKind KindOf(replay::ThreadWait::What what) {
  switch (what) {
    case replay::ThreadWait::What::kMutex: return EdgeKind::kMutex;
    case replay::ThreadWait::What::kEnd: return EdgeKind::kEnd;
    case replay::ThreadWait::What::kSignal: return EdgeKind::kSignal;
    case replay::ThreadWait::What::kPost: return EdgeKind::kPost;
    case replay::ThreadWait::What::kOnce: return EdgeKind::kOnce;
    case replay::ThreadWait::What::kBarrier: break;
  }
  return EdgeKind::kTeam;
}

EdgeKind KindOf(replay::TaskStretch::Why why) {
  switch (why) {
    case replay::TaskStretch::Why::kCreated: return EdgeKind::kCreated;
    case replay::TaskStretch::Why::kEnded: return EdgeKind::kTask;
    case replay::TaskStretch::Why::kTeam: break;
  }
  return EdgeKind::kTeam;
}

// Members of MPI_Alltoallv may get data from some others only. Then the last one that a member needs has an edge, and
// all its others have theirs. A member that gets data from all has one edge for them all, and so it is with groups.
void SayWhomItNeeds(const replay::Collective& collective, const replay::Member& member, Edge* edge) {
  edge->from_all = collective.operation.role == Role::kNeighbours && member.GetsFromAll();
  const size_t number = static_cast<size_t>(&member - collective.members.data());
  if (collective.apart) edge->group = number < collective.first_remote ? 2 : 1;
}

}  // namespace

// Finds the point of the call that was open at `ns`.
Place GraphBuilder::Find(uint32_t location, int64_t ns, uint32_t path) {
  const Place last = graph_->Before(location, ns);
  for (Place place = last; place.IsKnown(); --place.point) {
    const Point& point = graph_->At(place);
    if (point.kind == PointKind::kCall && point.path == path && point.end >= ns) return place;
    if (point.begin < ns || place.point == 0) break;
  }
  // A call of MPI within another call of MPI.
  if (last.IsKnown() && graph_->At(last).kind == PointKind::kCall && graph_->At(last).end >= ns) return last;
  ++unplaced_;
  return {};
}

Place GraphBuilder::FindRelease(uint32_t location, int64_t ns) {
  for (Place place = graph_->Before(location, ns); place.IsKnown(); --place.point) {
    const Point& point = graph_->At(place);
    if (point.end == ns && (point.kind == PointKind::kRelease || point.operation.role >= Role::kCritical)) return place;
    if (point.end < ns || place.point == 0) break;
  }
  ++unplaced_;
  return {};
}

// The point at which an interrupted call goes on; unknown when it does not. Calls within it may have been interrupted,
// too.
Place GraphBuilder::NextPart(Place place) const {
  if (!graph_->At(place).interrupted) return {};
  uint32_t inner = 0;
  for (++place.point; place.point < graph_->size(place.location); ++place.point) {
    const Point& point = graph_->At(place);
    if (point.continues && inner == 0) return place;
    if (point.continues) --inner;
    if (point.interrupted) ++inner;
  }
  return {};
}

Place GraphBuilder::LastPart(Place place) const {
  for (Place next = place; next.IsKnown(); next = NextPart(next)) place = next;
  return place;
}

// Each part of an interrupted call has its share of the wait. The call could not end without its last part, so that
// part has the dependence, even if it did not wait.
void GraphBuilder::AddWait(Place place, const Edge& edge) {
  for (Place next = NextPart(place); next.IsKnown(); next = NextPart(next)) {
    const Point& part = graph_->At(place);
    if (std::min(edge.to, part.end) > std::max({edge.from, part.begin, part.waited_until}))
      graph_->AddEdge(place, edge);
    place = next;
  }
  graph_->AddEdge(place, edge);
}

uint32_t GraphBuilder::MeetingOf(const replay::Collective& collective) {
  const auto known = meetings_.find(&collective);
  return known == meetings_.end() ? kNone : known->second;
}

Place GraphBuilder::PartnerOf(const replay::Arrival& arrival) {
  if (arrival.message != nullptr) {
    const replay::MessageEnd& send = arrival.message->send;
    return Find(send.location, send.begun.enter, send.begun.path);
  }
  const uint32_t meeting = MeetingOf(*arrival.collective);
  if (meeting == kNone || arrival.last == kNone || arrival.last >= graph_->MeetingAt(meeting).members) return {};
  return graph_->MemberAt(meeting, arrival.last).place;
}

void GraphBuilder::Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) {
  const Place place = Find(call.location, call.enter, call.path);
  if (!place.IsKnown()) return;
  const Place last = LastPart(place);
  const auto edge_of = [&](const replay::Arrival& arrival) {
    Edge edge;
    edge.partner = PartnerOf(arrival);
    edge.from = edge.to = call.enter;
    edge.kind = arrival.message != nullptr ? EdgeKind::kMessage : EdgeKind::kMeeting;
    if (arrival.message != nullptr) edge.bytes = arrival.message->bytes;
    if (arrival.collective != nullptr) {
      edge.meeting = MeetingOf(*arrival.collective);
      SayWhomItNeeds(*arrival.collective, arrival.collective->members[arrival.member], &edge);
      if (edge.meeting != kNone && arrival.member < graph_->MeetingAt(edge.meeting).members) {
        graph_->MemberAt(edge.meeting, arrival.member).completed = last;
      }
    }
    return edge;
  };
  replay::ForEachStretch(call, arrivals, [&](const replay::Arrival& arrival, int64_t from, int64_t to) {
    Edge edge = edge_of(arrival);
    edge.from = from;
    edge.to = to;
    waited_.push_back(&arrival);
    AddWait(place, edge);
  });
  std::sort(waited_.begin(), waited_.end());
  for (const replay::Arrival& arrival : arrivals) {
    if (!std::binary_search(waited_.begin(), waited_.end(), &arrival)) graph_->AddEdge(last, edge_of(arrival));
  }
  waited_.clear();
  for (const replay::Arrival& arrival : arrivals) {
    if (arrival.collective == nullptr) continue;
    NeedSources(last, *arrival.collective, arrival.collective->members[arrival.member]);
  }
  progress_.ForLastStretch(call, arrivals, [&](const replay::Progress::Back& back, int64_t from, int64_t to) {
    AddProgress(place, {back, from, to});
  });
  if (!call.sends) return;
  // A call that also completes sends has its wait there.
  const replay::Progress::Back back = progress_.LastBack(call, arrivals);
  if (back.location != kNone) AddProgress(last, {back, call.enter, call.enter});
}

// Calls that test requests are points if they complete something.
Place GraphBuilder::TestAt(uint32_t location, int64_t ns) const {
  if (!has_tests_) return {};
  const Place place = graph_->Before(location, ns);
  if (!place.IsKnown()) return {};
  const Point& test = graph_->At(place);
  return test.operation.role == Role::kTest && test.end >= ns ? place : Place();
}

// A call that tests a request waits for nobody, so replay reports no wait. When it gets a message, it still depends on
// the sender.
void GraphBuilder::Matched(const replay::Message& message) {
  const Place place = TestAt(message.receive.location, message.receive.at);
  if (!place.IsKnown()) return;
  const replay::MessageEnd& send = message.send;
  Edge edge;
  edge.kind = EdgeKind::kMessage;
  edge.partner = Find(send.location, send.begun.enter, send.begun.path);
  edge.bytes = message.bytes;
  edge.from = edge.to = graph_->At(place).begin;
  graph_->AddEdge(place, edge);
}

// The same at the end of a collective operation: the call that tests depends on the members that its own part needed.
void GraphBuilder::NeedInTest(const replay::Collective& collective, uint32_t number) {
  if (!has_tests_) return;
  for (uint32_t m = 0; m < graph_->MeetingAt(number).members; ++m) {
    const replay::Member& member = collective.members[m];
    if (!member.there || !member.immediate) continue;
    const Place place = TestAt(member.location, member.end);
    if (!place.IsKnown()) continue;
    graph_->MemberAt(number, m).completed = place;
    if (!member.needs || !member.knows_ready || member.last == kNone) continue;
    Edge edge;
    edge.kind = EdgeKind::kMeeting;
    edge.meeting = number;
    SayWhomItNeeds(collective, member, &edge);
    edge.partner = graph_->MemberAt(number, member.last).place;
    edge.from = edge.to = graph_->At(place).begin;
    graph_->AddEdge(place, edge);
    NeedSources(place, collective, member);
  }
}

// Adds an edge to each neighbour but the last one, which has its edge already.
void GraphBuilder::NeedSources(Place place, const replay::Collective& collective, const replay::Member& member) {
  const uint32_t number = MeetingOf(collective);
  if (number == kNone || !member.knows_ready) return;
  for (const uint32_t source : member.sources) {
    if (source == member.last || source >= graph_->MeetingAt(number).members) continue;
    Edge edge;
    edge.kind = EdgeKind::kMeeting;
    edge.meeting = number;
    edge.partner = graph_->MemberAt(number, source).place;
    edge.from = edge.to = graph_->At(place).begin;
    graph_->AddEdge(place, edge);
  }
}

// Among several messages, the one whose receive began last counts.
void GraphBuilder::Sent(const replay::Call& call, std::span<const replay::Message* const> messages) {
  NeedLater(call, messages);
  const replay::Message* last = nullptr;
  int64_t first = INT64_MAX;
  std::vector<const replay::Message*> awaited;
  rendezvous_.ForEachAwaited(call, messages, [&](const replay::Message& message, int64_t from) {
    awaited.push_back(&message);
    first = std::min(first, from);
    if (last == nullptr || message.receive.begun.enter > last->receive.begun.enter) last = &message;
  });
  stretches_.clear();
  progress_.ForEachStretch(call, messages, [&](const replay::Progress::Back& back, int64_t from, int64_t to) {
    stretches_.push_back({back, from, to});
  });
  if (last == nullptr && stretches_.empty()) return;
  const Place place = Find(call.location, call.enter, call.path);
  if (!place.IsKnown()) return;
  for (const replay::Message* message : awaited) {
    const replay::CallBegin& posted = message->receive.begun;
    Edge edge;
    edge.kind = EdgeKind::kReceiver;
    edge.partner = Find(posted.location, posted.enter, posted.path);
    edge.bytes = message->bytes;
    edge.from = edge.to = std::max(first, call.ready);
    if (message == last) edge.to = std::max(edge.from, posted.enter);
    AddWait(place, edge);
  }
  for (const Stretch& stretch : stretches_) AddProgress(place, stretch);
}

void GraphBuilder::AddProgress(Place place, const Stretch& stretch) {
  const replay::Progress::Back& back = stretch.back;
  Edge edge;
  edge.kind = EdgeKind::kProgress;
  edge.partner = Find(back.location, back.by.enter, back.by.path);
  edge.bytes = back.transfer.bytes;
  edge.from = stretch.from;
  edge.to = stretch.to;
  AddWait(place, edge);
}

// If the trace has no calls, the records of a collective operation give its times. EndOfJob has made MPI_Finalize.
Place GraphBuilder::PlaceOf(const replay::Member& member, const replay::Operation& operation) {
  const uint32_t l = member.location;
  State& state = states_[l];
  const bool is_there = HasCalls(l) || (state.begun && operation.role == Role::kFinalize);
  if (is_there || !member.knows_begin || member.immediate) return Find(l, member.begin, member.path);
  if (!state.begun) Begin(l, member.begin);
  if (!state.unlogged) ClosePoint(l, state.now);
  state.unlogged = true;
  if (member.begin < state.now) {
    ++unplaced_;
    return {};
  }
  OpenPoint(l, PointKind::kCall, {member.path, Level::kCall, operation}, member.begin);
  const Place place{l, state.open};
  ClosePoint(l, member.end);
  return place;
}

void GraphBuilder::Met(const replay::Collective& collective) {
  if (collective.operation.role == Role::kFinalize) EndOfJob(collective);
  Meeting meeting;
  meeting.operation = collective.operation;
  meeting.missing = collective.missing;
  if (collective.apart) meeting.first_remote = collective.first_remote;
  members_.clear();
  for (const replay::Member& member : collective.members) {
    if (member.rank == collective.root) meeting.root = static_cast<uint32_t>(members_.size());
    MeetingMember& made = members_.emplace_back();
    if (!member.there) continue;
    made.place = PlaceOf(member, collective.operation);
    if (!member.immediate && made.place.IsKnown()) made.completed = LastPart(made.place);
    made.out = member.out;
    made.in = member.in;
  }
  if (members_.size() > Graph::kMostMembers) members_.clear();
  const uint32_t number = graph_->AddMeeting(meeting, members_);
  meetings_[&collective] = number;
  for (size_t m = 0; m < members_.size(); ++m) {
    const replay::Member& member = collective.members[m];
    if (member.immediate || !members_[m].place.IsKnown()) continue;
    Edge edge;
    edge.kind = EdgeKind::kMeeting;
    edge.meeting = number;
    edge.from = edge.to = member.begin;
    if (member.needs && member.knows_ready && member.last != kNone) {
      edge.partner = members_[member.last].place;
      SayWhomItNeeds(collective, member, &edge);
      if (member.knows_begin) edge.to = std::max(edge.from, std::min(member.ready, member.end));
    }
    AddWait(members_[m].place, edge);
    NeedSources(LastPart(members_[m].place), collective, member);
  }
  NeedInTest(collective, number);
  NeedTakers(collective, number);
}

// Measurement ended before MPI_Finalize did. The call, and with it the location, lasts until all ranks have come to it.
void GraphBuilder::EndOfJob(const replay::Collective& finalize) {
  for (const replay::Member& member : finalize.members) {
    if (!member.there || !states_[member.location].begun) continue;
    State& state = states_[member.location];
    Place place = graph_->Before(member.location, member.begin);
    while (place.point > 0 && graph_->At(place).operation.role != Role::kFinalize &&
           graph_->At(place).begin == member.begin) {
      --place.point;
    }
    if (graph_->At(place).operation.role != Role::kFinalize) {
      if (member.begin < state.now) continue;  // the location did something else meanwhile
      ClosePoint(member.location, state.unlogged ? state.now : member.begin);
      OpenPoint(member.location, PointKind::kCall, {member.path, Level::kCall, finalize.operation}, member.begin);
      place.point = state.open;
      ClosePoint(member.location, member.begin);
      Idle(member.location, member.begin);
    }
    if (graph_->At(place).end < state.now) continue;
    state.now = std::max(state.now, member.end);
    graph_->At(place).end = state.now;
    for (++place.point; place.point < graph_->size(member.location); ++place.point) {
      Point& after = graph_->At(place);
      after.begin = state.now;
      if (after.end != INT64_MAX) after.end = state.now;
    }
  }
}

// The barrier, without the tasks that a thread ran in it. With libgomp a thread may stay there when the others have
// left, and run tasks that these create later. Nobody waited for those tasks in this barrier.
void GraphBuilder::Gathered(const replay::Gathering& barrier) {
  Meeting meeting;
  meeting.operation = barrier.operation;
  members_.clear();
  for (const auto& member : barrier.members) {
    MeetingMember& made = members_.emplace_back();
    if (member.knows_enter) made.place = made.completed = Find(member.location, member.enter, member.path);
  }
  if (members_.empty() || members_.size() > Graph::kMostMembers) return;
  const bool knows_all = barrier.KnowsAll();
  const size_t last = barrier.Last();
  int64_t over = INT64_MAX;
  for (const auto& member : barrier.members) over = std::min(over, member.leave);
  Edge edge;
  edge.kind = EdgeKind::kTeam;
  edge.meeting = graph_->AddMeeting(meeting, members_);
  edge.partner = knows_all ? members_[last].place : Place();
  for (size_t m = 0; m < members_.size(); ++m) {
    std::vector<replay::TaskStretch> stretches;
    if (knows_all) stretches = StretchesOf(barrier, m);
    std::span<const replay::TaskStretch> left = stretches;
    for (Place place = members_[m].place; place.IsKnown(); place = NextPart(place)) {
      AddPiece(place, &left, edge);
      const bool is_first = place.point == members_[m].place.point;
      if (is_first || graph_->At(place).begin <= over)
        graph_->MemberAt(edge.meeting, static_cast<uint32_t>(m)).completed = place;
    }
  }
}

// A piece of the barrier depends on the last thread, even if it did not wait for that thread. `left` has the stretches
// that no piece has taken; this piece takes its own from the front.
void GraphBuilder::AddPiece(Place place, std::span<const replay::TaskStretch>* left, const Edge& team) {
  const int64_t begin = graph_->At(place).begin, end = graph_->At(place).end;
  Edge piece = team;
  piece.from = piece.to = begin;
  bool waits_for_team = false;
  for (; !left->empty() && left->front().from < end; *left = left->subspan(1)) {
    const replay::TaskStretch& stretch = left->front();
    if (stretch.from < begin) continue;
    if (stretch.why != replay::TaskStretch::Why::kTeam) {
      AddStretch(place, stretch);
      continue;
    }
    waits_for_team = true;
    piece.to = stretch.to;
    graph_->AddEdge(place, piece);
  }
  if (!waits_for_team) graph_->AddEdge(place, piece);
}

void GraphBuilder::AddStretch(Place place, const replay::TaskStretch& stretch) {
  Edge edge;
  edge.kind = KindOf(stretch.why);
  edge.partner = FindRelease(stretch.whom, stretch.to);
  edge.from = stretch.from;
  edge.to = stretch.to;
  graph_->AddEdge(place, edge);
}

void GraphBuilder::Awaited(const replay::TaskWait& wait) {
  const replay::Call& call = wait.call;
  for (const replay::TaskStretch& stretch : wait.stretches) {
    const Place place = Find(call.location, stretch.from, call.path);
    if (place.IsKnown()) AddStretch(place, stretch);
  }
  if (!wait.needs.empty()) NeedEnds(Find(call.location, call.leave, call.path), wait.needs);
}

// `place` may be unknown.
void GraphBuilder::NeedEnds(Place place, std::span<const replay::TaskReady> ends) {
  if (!place.IsKnown()) return;
  for (const replay::TaskReady& end : ends) {
    if (end.by == place.location) continue;
    const Place partner = FindRelease(end.by, end.ns);
    if (partner.IsKnown()) AddDependence(place, partner, EdgeKind::kEnded);
  }
}

void GraphBuilder::Acquired(const replay::Acquisition& acquisition) {
  const replay::Call& call = acquisition.call;
  const Place place = Find(call.location, call.enter, call.path);
  if (!place.IsKnown()) return;
  Edge edge;
  edge.kind = EdgeKind::kLock;
  edge.partner = FindRelease(acquisition.holder, acquisition.freed);
  edge.from = call.enter;
  edge.to = std::max(edge.from, std::min(acquisition.freed, call.leave));
  AddWait(place, edge);
}

void GraphBuilder::Waited(const replay::ThreadWait& wait) {
  const Place place = Find(wait.call.location, wait.call.enter, wait.call.path);
  if (!place.IsKnown()) return;
  for (const replay::ThreadWait::Stretch& stretch : wait.stretches) {
    Edge edge;
    edge.kind = KindOf(stretch.what);
    if (edge.kind == EdgeKind::kTeam) {
      Meeting meeting;
      meeting.operation = wait.call.operation;
      edge.meeting = graph_->AddMeeting(meeting, {});
    }
    if (stretch.whom != kNone) edge.partner = graph_->Before(stretch.whom, stretch.to);
    edge.from = stretch.from;
    edge.to = stretch.to;
    AddWait(place, edge);
  }
}

}  // namespace epik::graph
