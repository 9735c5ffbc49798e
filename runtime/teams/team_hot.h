// SPDX-License-Identifier: BSD-3-Clause
// The way of every parallel region on every thread: fork, part, join. team.h explains it.
#ifndef EPIK_RUNTIME_TEAMS_TEAM_HOT_H_
#define EPIK_RUNTIME_TEAMS_TEAM_HOT_H_

#include "runtime/counters/counters_hot.h"
#include "runtime/episode/displaced.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/untimed_hot.h"
#include "runtime/epitome/record_hot.h"
#include "runtime/teams/team.h"
#include "runtime/teams/team_log.h"

namespace epik::teams {

using event::Frame;
using event::FrameAt;
using event::NodeAt;

// The region's visit of the leader begins. False: nothing is measured on this thread.
EPIK_HOT bool Fork(Team* team, Key key, const void* stack) {
  episode::Enter(key, stack);
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return false;
  if (EPIK_UNLIKELY(member == nullptr) && !MakeMember(location)) member = nullptr;
  team->key = key;
  team->barrier = event::ConstructKey(event::Construct::kImplicitBarrier, event::AddressOf(key));
  team->owner = member;
  team->level = EPIK_LIKELY(member != nullptr) ? member->level++ : 0;
  team->node = location->node;
  team->size = 1;
  team->instance = 0;
  if (EPIK_UNLIKELY(LogsRecords(location))) LogFork(team);
  team->leader.Publish(location);
  return true;
}

// The leader has done its part and waits for the others.
EPIK_HOT void EndOwnPart(Team* team, const void* stack) {
  const Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  if (EPIK_UNLIKELY(FrameAt(location->top)->key != team->key)) CloseInside(team->key);
  if (EPIK_UNLIKELY(LogsRecords(location))) LogTeamEnd(team);
  episode::Enter(team->barrier, stack);
  if (EPIK_UNLIKELY(LogsRecords(location))) LogWait(team->barrier);
}

// All threads have done their parts.
EPIK_HOT void Join(Team* team, const void* stack) {
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  const uint64_t now = base::Now();
  episode::Charge(location);
  const uint32_t size = team->size;
  if (Member* const owner = team->owner; EPIK_LIKELY(owner != nullptr)) {
    const uint32_t level = team->level;
    owner->level = level;
    const uint32_t known = EPIK_UNLIKELY(level >= kMostLevels) ? 0 : size < kMostMembers ? size : kMostMembers;
    for (uint32_t i = 1; i < known; ++i) {
      const Member* const other = owner->team[level][i].Take();
      if (EPIK_UNLIKELY(other == nullptr || other->led_by != owner)) continue;
      __atomic_store_n(&other->location->joined, now, __ATOMIC_RELAXED);
    }
  }
  const Frame* barrier = FrameAt(location->top);
  const Frame* region = FrameAt(location->top - 1);
  if (EPIK_UNLIKELY(barrier->key != team->barrier || region->key != team->key)) {
    return JoinMismatched(location, team, now, reinterpret_cast<uint64_t>(stack));
  }
  if (Member* const owner = team->owner; EPIK_LIKELY(owner != nullptr && owner->level < kMostLevels)) {
    if (EPIK_UNLIKELY(owner->most[owner->level] != size)) NoteSize(owner, owner->level, size, region->entered, now);
  }
  if (EPIK_UNLIKELY(event::IsOff(barrier))) {
    episode::PopOff(location, barrier);
  } else {
    episode::Pop(location, barrier, now);
  }
  episode::Pop(location, region, EPIK_UNLIKELY(LogsRecords(location)) ? LogJoin(team, now) : now);
}

// The place of another location's call path in this one.
EPIK_HOT Route* FindRoute(Location* location, Member* mine, uint32_t from) {
  Route* route = &mine->routes[from % kRoutes];
  if (EPIK_UNLIKELY(route->from != from)) MakeRoute(location, route, from);
  return route;
}

// Ends the last part at the time that its leader has written; the thread has been idle since then.
EPIK_HOT uint64_t SettlePart(Location* location, const Member* mine, uint64_t now) {
  const Frame* region = FrameAt(location->bottom + 1);
  const Frame* barrier = FrameAt(location->bottom + 2);
  uint64_t joined = __atomic_load_n(&location->joined, __ATOMIC_RELAXED);
  const uint64_t entered = barrier->entered & event::kTicksOfFrame;
  if (EPIK_UNLIKELY(joined < entered)) joined = entered;
  if (EPIK_UNLIKELY(joined > now)) joined = now;
  if (EPIK_LIKELY(!event::IsOff(barrier))) epitome::Record(NodeAt(barrier->node), joined - entered);
  const uint64_t whole = joined - region->entered;
  epitome::Record(NodeAt(region->node), whole);
  if (mine->displaced != 0) episode::AddDisplaced(mine->displaced, static_cast<int64_t>(whole));
  if (EPIK_UNLIKELY(episode::IsForTrace(location, whole))) LogPart(location, joined);
  return joined;
}

// A thread of the pool comes to its part of the region. False: it is not measured, or not one of a pool.
EPIK_HOT bool BeginPart(const Team* team, uint32_t number) {
  Location* location = episode::current;
  Member* mine = member;
  if (EPIK_UNLIKELY(location == nullptr || mine == nullptr || !mine->pool)) {
    location = PrepareForPart(number);
    if (location == nullptr) return false;
    mine = member;
  }
  Member* const owner = team->owner;
  const uint32_t level = team->level;
  if (EPIK_LIKELY(owner != nullptr && number < kMostMembers && level < kMostLevels)) {
    Shared<Member*>& slot = owner->team[level][number];
    if (EPIK_UNLIKELY(slot != mine)) slot.Publish(mine);
    if (EPIK_UNLIKELY(mine->led_by != owner)) mine->led_by.Publish(owner);
  }
  const Route* route = FindRoute(location, mine, team->node);
  if (EPIK_UNLIKELY(location->top > location->bottom + 2)) CloseAbove(location, location->bottom + 2);
  uint64_t now = base::Now();
  if (EPIK_UNLIKELY(choice::hooks.counters_on)) counters::ChargePart(location);
  Frame* outermost = FrameAt(location->bottom + 1);
  uint64_t since = outermost->entered;
  if (EPIK_LIKELY(location->top == location->bottom + 2)) since = SettlePart(location, mine, now);
  const uint64_t idle = now > since ? now - since : 0;
  if (EPIK_LIKELY(idle != 0)) {
    epitome::Record(NodeAt(mine->idle), idle);
    NodeAt(location->root)->ticks += idle;
    const bool logs = idle >= location->worth || location->logged != location->bottom;
    if (EPIK_UNLIKELY(logs)) now = LogIdle(location, mine->idle, since, now);
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
  if (EPIK_UNLIKELY(FollowsTeams(location))) LogTeamBegin(team, number);
  return true;
}

// The thread has done its part, and waits until its leader has seen all others.
EPIK_HOT void EndPart(const Team* team) {
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return;
  if (EPIK_UNLIKELY(location->top != location->bottom + 1)) CloseInside(team->key);
  if (EPIK_UNLIKELY(LogsRecords(location))) LogTeamEnd(team);
  episode::Enter(team->barrier, kOnNoStack);
  if (EPIK_UNLIKELY(LogsRecords(location))) LogWait(team->barrier);
}

}  // namespace epik::teams

#endif  // EPIK_RUNTIME_TEAMS_TEAM_HOT_H_
