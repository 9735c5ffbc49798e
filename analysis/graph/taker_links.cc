// SPDX-License-Identifier: BSD-3-Clause
// Makes edges to processes that give a process no data, but must take its data, or be in MPI. These edges have no wait,
// so only predictions and approximations of other runs use them.
#include "analysis/graph/builder.h"

namespace epik::graph {

namespace {

// A message may have moved in this call until then: the call had not ended, or the time after it is shorter than the
// call.
bool MayHaveMoved(const Point& call, int64_t until) {
  return call.end >= until || until - call.end <= call.end - call.begin;
}

}  // namespace

// Where the member's part ended; unknown when that was no wait.
Place GraphBuilder::CompletionOf(const replay::Member& member) {
  const replay::Completion& by = member.completed_by;
  return by.away == INT64_MAX ? Place() : Find(member.location, by.enter, by.path);
}

// The last call of MPI that the location began between these times.
Place GraphBuilder::CameBack(uint32_t location, int64_t from, int64_t until) const {
  constexpr int kMostPoints = 64;
  int left = kMostPoints;
  for (Place place = graph_->Before(location, until); place.IsKnown() && --left > 0; --place.point) {
    const Point& point = graph_->At(place);
    if (point.begin <= from) return {};
    const bool is_call = point.kind == PointKind::kCall && replay::IsOfMpi(point.operation.role);
    if (is_call) return MayHaveMoved(point, until) ? place : Place();
    if (place.point == 0) return {};
  }
  return {};
}

void GraphBuilder::NeedTakers(const replay::Collective& collective, uint32_t number) {
  if (graph_->MeetingAt(number).members == 0) return;
  const auto end_of = [&](uint32_t m) {
    const replay::Member& member = collective.members[m];
    if (member.immediate) return CompletionOf(member);
    const Place begun = graph_->MemberAt(number, m).place;
    return begun.IsKnown() ? LastPart(begun) : Place();
  };
  takers_.ForEach(collective, [&](uint32_t m, uint32_t other) {
    const Place place = end_of(m), partner = graph_->MemberAt(number, other).place;
    if (place.IsKnown() && partner.IsKnown()) AddDependence(place, partner, EdgeKind::kTaker);
  });
  for (const uint32_t m : collective.back) {
    const Place place = end_of(m);
    if (place.IsKnown()) NeedBack(collective, m, place);
  }
}

void GraphBuilder::NeedBack(const replay::Collective& collective, uint32_t number, Place place) {
  const replay::Member& member = collective.members[number];
  const bool is_told = member.needs && member.knows_ready;  // Arrived comes for it
  if (!is_told) {
    const replay::Progress::Back back = progress_.LastTaker(collective, number);
    const Place partner = back.location == kNone ? Place() : Find(back.location, back.by.enter, back.by.path);
    if (partner.IsKnown()) AddDependence(place, partner, EdgeKind::kProgress);
  }
  progress_.ForEachLater(collective, number, [&](const replay::Progress::Back& back) {
    const Place partner = CameBack(back.location, replay::HasAllSince(member), member.end);
    if (partner.IsKnown()) AddDependence(place, partner, EdgeKind::kProgress);
  });
}

void GraphBuilder::NeedLater(const replay::Call& call, std::span<const replay::Message* const> messages) {
  progress_.ForEachLater(call, messages, [&](const replay::Progress::Back& back, int64_t from) {
    const Place partner = CameBack(back.location, from, call.leave);
    const Place place = partner.IsKnown() ? Find(call.location, call.enter, call.path) : Place();
    if (place.IsKnown()) AddDependence(LastPart(place), partner, EdgeKind::kProgress);
  });
}

}  // namespace epik::graph
