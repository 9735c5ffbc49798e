// SPDX-License-Identifier: BSD-3-Clause
// The way of every task: it interrupts a thread, and its call path hangs where it was created. team.h explains its
// times.
#ifndef EPIK_RUNTIME_TEAMS_TASK_HOT_H_
#define EPIK_RUNTIME_TEAMS_TASK_HOT_H_

#include "runtime/teams/team_hot.h"

namespace epik::teams {

using event::Frame;
using event::FrameAt;
using event::Key;
using event::Location;
using event::NodeAt;

EPIK_HOT Made* MadeAt(Member* mine, uint32_t below, Key key) {
  return &mine->made[(static_cast<uint32_t>(key) >> 4 ^ below) % kMades];
}

// The call path that a task created now will have: `key` below that node of the calling thread. REQUIRES: it has a
// location.
EPIK_HOT uint32_t NodeOfTask(uint32_t below, Key key) {
  Member* mine = member;
  if (EPIK_UNLIKELY(mine == nullptr)) return MakeTask(below, key);
  const Made* made = MadeAt(mine, below, key);
  if (EPIK_UNLIKELY(made->key != key || made->below != below)) return MakeTask(below, key);
  return made->node;
}

// Stands in the place of a task's key when the task has no call path of its own (task_parts.h). Its node is the one
// that takes time for its creator's call path.
inline constexpr Key kFoldedTask = event::RegionKey(event::kDisplacedMetric);

EPIK_HOT Key KeyOfTask(uint32_t node) {
  const Key key = NodeAt(node)->key;
  return EPIK_LIKELY(key != 0) ? key : kFoldedTask;  // a node for which there was no room
}

// Enters a task below the call path `from` of any location, at any place of this thread. Returns 0 when nothing is
// measured.
EPIK_HOT void EnterElsewhere(uint32_t from, Key key, const void* stack) {
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr || member == nullptr || !episode::HasRoomForFrame(location) ||
                    key == kFoldedTask)) {
    return EnterElsewhereSlowly(from, key, stack);
  }
  episode::Charge(location);
  const Route* route = FindRoute(location, member, from);
  episode::Push(location, route->to, key, reinterpret_cast<uint64_t>(stack), base::Now);
}

// The call path that a task took its time from: that of the frame below or, if that frame is not timed, of its caller.
EPIK_HOT uint32_t TimedBelow(const Location* location, uint32_t outer) {
  constexpr uint64_t kNoTime = event::kUntimed | event::kOff;
  for (uint32_t i = location->top; i > location->bottom; --i) {
    if (EPIK_LIKELY((FrameAt(i)->entered & kNoTime) != event::kUntimed)) break;
    outer = FrameAt(i)->outer;
  }
  return outer;
}

EPIK_HOT void ExitElsewhere(uint32_t from, Key key, const void* stack) {
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  if (EPIK_UNLIKELY(key == kFoldedTask)) return ExitFoldedTask();
  const uint64_t left = base::Now();
  episode::Charge(location);
  const Frame* frame = FrameAt(location->top);
  if (EPIK_UNLIKELY(frame->key != key || member == nullptr)) {
    return episode::ExitMismatched(location, key, left, reinterpret_cast<uint64_t>(stack));
  }
  const uint64_t entered = frame->entered;
  const uint32_t node = frame->node;
  const uint32_t below = frame->outer;
  episode::Pop(location, frame, left);
  const uint32_t outer = TimedBelow(location, below);
  if (NodeAt(node)->parent == outer) return;
  const Route* route = FindRoute(location, member, from);
  Route* away = &member->away[outer % kRoutes];
  if (EPIK_UNLIKELY(away->from != outer)) MakeAway(location, away, outer);
  const auto ticks = static_cast<int64_t>(left > entered ? left - entered : 0);
  if (EPIK_UNLIKELY(route->displaced == 0 || away->displaced == 0)) {
    return DisplaceFromUnrecorded(location, outer, route->displaced, ticks);
  }
  episode::AddDisplaced(route->displaced, ticks);
  episode::AddDisplaced(away->displaced, -ticks);
}

}  // namespace epik::teams

#endif  // EPIK_RUNTIME_TEAMS_TASK_HOT_H_
