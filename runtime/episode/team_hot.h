// SPDX-License-Identifier: BSD-3-Clause
// What every parallel region does on every thread: fork, part, join. team.h says what it means.
#ifndef EPIK_RUNTIME_EPISODE_TEAM_HOT_H_
#define EPIK_RUNTIME_EPISODE_TEAM_HOT_H_

#include "runtime/episode/location_hot.h"
#include "runtime/episode/team.h"
#include "runtime/epitome/record_hot.h"

namespace epik::episode {

// The region's visit of the leader begins. False: nothing is measured on this thread.
EPIK_HOT bool Fork(Team* team, Key key, const void* stack) {
  Enter(key, stack);
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return false;
  if (EPIK_UNLIKELY(mate == nullptr) && !MakeMate(location)) mate = nullptr;
  team->key = key;
  team->barrier = event::ConstructKey(event::Construct::kImplicitBarrier, event::AddressOf(key));
  team->mates = mate;
  team->node = location->node;
  team->size = 1;
  team->leader.Publish(location);
  return true;
}

// The leader has done its part and waits for the others.
EPIK_HOT void EndOwnPart(Team* team, const void* stack) {
  const Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  if (EPIK_UNLIKELY(FrameAt(location->top)->key != team->key)) CloseInside(team->key);
  Enter(team->barrier, stack);
}

// All have.
EPIK_HOT void Join(Team* team, const void* stack) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  const uint64_t now = base::Now();
  const uint32_t size = team->size;
  if (Mate* const mates = team->mates; EPIK_LIKELY(mates != nullptr)) {
    for (uint32_t i = 1; i < size; ++i) {
      if (Location* other = mates->team[i]) __atomic_store_n(&other->joined, now, __ATOMIC_RELAXED);
    }
  }
  const Frame* barrier = FrameAt(location->top);
  const Frame* region = FrameAt(location->top - 1);
  if (EPIK_UNLIKELY(barrier->key != team->barrier || region->key != team->key)) {
    return JoinMismatched(team, now, reinterpret_cast<uint64_t>(stack));
  }
  Pop(location, barrier, now);
  Pop(location, region, now);
}

// The place of another location's call path in this one.
EPIK_HOT Route* FindRoute(Location* location, Mate* mine, uint32_t from) {
  Route* route = &mine->routes[from % kRoutes];
  if (EPIK_UNLIKELY(route->from != from)) MakeRoute(location, route, from);
  return route;
}

// A visit that ended is not below what it interrupted: so much belongs elsewhere in the tree.
EPIK_HOT void AddDisplaced(uint32_t metric, int64_t ticks) {
  Node* node = NodeAt(metric);
  ++node->visits;
  uint64_t sum;
  __builtin_memcpy(&sum, &node->squares, sizeof sum);
  sum += static_cast<uint64_t>(ticks);
  __builtin_memcpy(&node->squares, &sum, sizeof sum);
}

// The end of the part before: when its region was over, its leader has said. Idle since then.
EPIK_HOT uint64_t SettlePart(Location* location, const Mate* mine, uint64_t now) {
  const Frame* region = FrameAt(location->bottom + 1);
  const Frame* barrier = FrameAt(location->bottom + 2);
  uint64_t joined = __atomic_load_n(&location->joined, __ATOMIC_RELAXED);
  if (EPIK_UNLIKELY(joined < barrier->entered)) joined = barrier->entered;
  if (EPIK_UNLIKELY(joined > now)) joined = now;
  epitome::Record(NodeAt(barrier->node), joined - barrier->entered);
  const uint64_t whole = joined - region->entered;
  epitome::Record(NodeAt(region->node), whole);
  if (mine->displaced != 0) AddDisplaced(mine->displaced, static_cast<int64_t>(whole));
  if (EPIK_UNLIKELY(IsForTrace(location, whole))) LogPart(location, joined);
  return joined;
}

// A thread of the pool comes to its part of the region. False: it is not measured, or not one of a pool.
EPIK_HOT bool BeginPart(const Team* team, uint32_t number) {
  Location* location = current;
  Mate* mine = mate;
  if (EPIK_UNLIKELY(location == nullptr || mine == nullptr || !mine->pool)) {
    if (!PrepareForPart(number)) return false;
    location = current;
    mine = mate;
  }
  Mate* const mates = team->mates;
  if (EPIK_LIKELY(mates != nullptr && number < kMostMates)) {
    ThreadSlot& slot = mates->team[number];
    if (EPIK_UNLIKELY(slot != location)) slot = location;
  }
  const Route* route = FindRoute(location, mine, team->node);
  if (EPIK_UNLIKELY(location->top > location->bottom + 2)) CloseAbove(location, location->bottom + 2);
  const uint64_t now = base::Now();
  Frame* outermost = FrameAt(location->bottom + 1);
  uint64_t since = outermost->entered;
  if (EPIK_LIKELY(location->top == location->bottom + 2)) since = SettlePart(location, mine, now);
  const uint64_t idle = now > since ? now - since : 0;
  if (EPIK_LIKELY(idle != 0)) {
    epitome::Record(NodeAt(mine->idle), idle);
    NodeAt(location->root)->ticks += idle;
    const bool logs = idle >= location->worth || location->logged != location->bottom;
    if (EPIK_UNLIKELY(logs)) LogIdle(location, mine->idle, since, now);
  }
  location->top = location->bottom + 1;
  EPIK_ORDER();
  outermost->key = team->key;
  outermost->node = route->to;
  outermost->outer = location->root;
  outermost->entered = now;
  mine->displaced = route->displaced;
  EPIK_ORDER();
  location->node = route->to;
  location->last = now;
  return true;
}

// It has done its part, and waits for the others until its leader says that they have.
EPIK_HOT void EndPart(const Team* team) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  if (EPIK_UNLIKELY(location->top != location->bottom + 1)) CloseInside(team->key);
  Enter(team->barrier, kOnNoStack);
}

// Below the call path `from` of whatever location, wherever this thread is: a task. Returns 0 when nothing is measured.
EPIK_HOT void EnterElsewhere(uint32_t from, Key key, const void* stack) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr || mate == nullptr || location->top >= location->limit)) {
    return EnterElsewhereSlowly(from, key, stack);
  }
  const Route* route = FindRoute(location, mate, from);
  Push(location, route->to, key, reinterpret_cast<uint64_t>(stack), base::Now);
}

EPIK_HOT void ExitElsewhere(uint32_t from, Key key, const void* stack) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  const uint64_t left = base::Now();
  const Frame* frame = FrameAt(location->top);
  if (EPIK_UNLIKELY(frame->key != key || mate == nullptr)) {
    return ExitMismatched(location, key, left, reinterpret_cast<uint64_t>(stack));
  }
  const uint64_t entered = frame->entered;
  const uint32_t node = frame->node;
  const uint32_t outer = frame->outer;
  Pop(location, frame, left);
  if (NodeAt(node)->parent == outer) return;
  const Route* route = FindRoute(location, mate, from);
  Route* away = &mate->away[outer % kRoutes];
  if (EPIK_UNLIKELY(away->from != outer)) MakeAway(location, away, outer);
  if (EPIK_UNLIKELY(route->displaced == 0 || away->displaced == 0)) return;
  const auto ticks = static_cast<int64_t>(left > entered ? left - entered : 0);
  AddDisplaced(route->displaced, ticks);
  AddDisplaced(away->displaced, -ticks);
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_TEAM_HOT_H_
