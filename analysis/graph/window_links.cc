// SPDX-License-Identifier: BSD-3-Clause
// Turns the facts of one-sided communication, as replay finds them, into edges between points.
#include <algorithm>

#include "analysis/graph/builder.h"

namespace epik::graph {

using replay::Role;
using replay::WindowWait;

namespace {

Role RoleOf(WindowWait::Why why) {
  switch (why) {
    case WindowWait::Why::kPost: return Role::kPost;
    case WindowWait::Why::kComplete: return Role::kEndAccess;
    case WindowWait::Why::kLock: break;
  }
  return Role::kLockWindow;
}

}  // namespace

// A fence is a barrier of a window, unless a process left it before all had come.
void GraphBuilder::Fenced(const replay::WindowFence& fence) {
  Meeting meeting;
  meeting.operation = {Role::kFence};
  members_.clear();
  for (const replay::Call& call : fence.calls) {
    MeetingMember& made = members_.emplace_back();
    made.place = Find(call.location, call.enter, call.path);
    if (made.place.IsKnown()) made.completed = LastPart(made.place);
  }
  if (members_.size() > Graph::kMostMembers) return;
  const size_t last = fence.Last();
  Edge edge;
  edge.kind = EdgeKind::kMeeting;
  edge.meeting = graph_->AddMeeting(meeting, members_);
  edge.partner = members_[last].place;
  for (size_t m = 0; m < members_.size(); ++m) {
    if (!members_[m].place.IsKnown()) continue;
    edge.from = edge.to = fence.calls[m].enter;
    if (fence.IsTogether()) edge.to = std::min(fence.calls[last].enter, fence.calls[m].leave);
    AddWait(members_[m].place, edge);
  }
}

void GraphBuilder::Synchronised(const WindowWait& wait) {
  const replay::Call& call = wait.call;
  const bool is_test = call.operation.role == Role::kTest;
  const Place place = is_test ? TestAt(call.location, call.leave) : Find(call.location, call.enter, call.path);
  if (!place.IsKnown()) return;
  uint32_t& meeting = window_meetings_[static_cast<size_t>(wait.why)];
  if (meeting == kNone) meeting = graph_->AddMeeting({.operation = {RoleOf(wait.why)}}, {});
  Edge edge;
  edge.kind = EdgeKind::kMeeting;
  edge.meeting = meeting;
  edge.to = call.enter;
  for (const replay::Call& needed : wait.needed) {
    edge.partner = Find(needed.location, needed.enter, needed.path);
    edge.from = edge.to;
    if (!is_test) edge.to = std::max(edge.from, std::min(needed.enter, call.leave));
    AddWait(place, edge);
  }
}

}  // namespace epik::graph
