// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/teams/team_log.h"

#include <algorithm>

#include "runtime/base/thread_memory.h"
#include "runtime/choice/windows.h"
#include "runtime/epilog/capture.h"
#include "runtime/epilog/locks.h"
#include "runtime/episode/room.h"

namespace epik::teams {

using episode::current;
using event::Construct;
using event::RecordKind;

namespace {

constexpr uint32_t kMostHeld = 32;

struct Held {
  uint64_t address;
  uint64_t order;
  uint32_t number;
  uint32_t depth;
};
static_assert(kMostHeld * sizeof(Held) <= static_cast<uint32_t>(episode::Room::kLedTeams));
EPIK_PER_THREAD base::PerThread<Held*> held;

Held* FindHeld(uint64_t address) {
  Held* const end = *held + held_locks;
  Held* found = std::find_if(*held, end, [address](const Held& h) { return h.address == address; });
  return found == end ? nullptr : found;
}

template <class... Fields>
void Log(RecordKind kind, Fields... fields) {
  const uint64_t words[] = {static_cast<uint64_t>(fields)...};
  epilog::LogRecord(kind, words);
}

}  // namespace

__thread uint32_t held_locks __attribute__((tls_model("initial-exec"))) = 0;

void LogFork(Team* team) {
  Member* owner = team->owner;
  if (owner == nullptr || !epilog::IsRecordChosen(owner->location)) return;  // nor is anything of the team's
  team->instance = ++owner->forks;
  Log(RecordKind::kFork, team->node, owner->forks);
}

void LogTeamBegin(const Team* team, uint32_t thread) {
  const uint64_t instance = team->instance;
  const Location* leader = team->leader.Take();
  choice::InheritWindows(current, leader, team->node);
  if (instance == 0) return;  // the leader logs nothing
  Log(RecordKind::kTeamBegin, leader->number, instance, thread);
}

void LogTeamEnd(const Team* team) {
  if (const uint64_t instance = team->instance; instance != 0) Log(RecordKind::kTeamEnd, instance);
}

uint64_t LogJoin(const Team* team, uint64_t now) {
  Location* location = current;
  const uint64_t instance = team->instance;
  if (instance == 0 || !epilog::IsRecordChosen(location)) return now;
  epilog::LogRecordAt(location, now, RecordKind::kJoin, &instance);
  return base::Now();  // the buffer may have been written meanwhile
}

void LogBarrier(Key barrier) {
  if (event::IsRegion(barrier)) return;
  switch (event::ConstructOf(barrier)) {
    case Construct::kBarrier:
    case Construct::kImplicitBarrier:
    case Construct::kReduction: epilog::LogRecord(RecordKind::kBarrier, nullptr); return;
    default: return;
  }
}

void LogAcquire(uint64_t lock, bool nests) {
  Held* mine = FindHeld(lock);
  if (mine != nullptr && nests) {
    ++mine->depth;
    return;
  }
  const uint32_t number = epilog::NumberOfLock(lock);
  if (*held == nullptr)
    *held = static_cast<Held*>(episode::TakeRoom(current, episode::Room::kHeldLocks, kMostHeld * sizeof(Held)));
  if (number == 0 || *held == nullptr || (mine == nullptr && held_locks == kMostHeld)) {
    ++current->unlogged;
    return;
  }
  if (mine == nullptr) mine = &(*held)[held_locks++];
  const uint64_t order = epilog::NextOrderOf(number);
  *mine = {lock, order, number, 1};
  base::SettleClock();  // not before whoever had it gave it back
  Log(RecordKind::kLockAcquire, number, order);
}

void LogRelease(uint64_t lock) {
  Held* mine = FindHeld(lock);
  if (mine == nullptr || --mine->depth != 0) return;
  const Held was = *mine;
  *mine = (*held)[--held_locks];
  Log(RecordKind::kLockRelease, was.number, was.order);
}

void LogIterationDone(uint64_t loop, uint64_t iteration) {
  if (const uint32_t number = epilog::NumberOfLock(loop); number != 0)
    Log(RecordKind::kIterationDone, number, iteration);
}

void LogIterationNeeded(uint64_t loop, uint64_t iteration) {
  const uint32_t number = epilog::NumberOfLock(loop);
  if (number == 0) return;
  base::SettleClock();  // not before the other thread told that it is done
  Log(RecordKind::kIterationNeeded, number, iteration);
}

uint64_t NewTask() {
  Location* location = current;
  if (location == nullptr || (member == nullptr && !MakeMember(location))) return 0;
  return uint64_t{location->number} << kTaskShift | ++member->tasks;
}

void LogTask(RecordKind kind, uint64_t task) {
  if (task != 0) Log(kind, task);
}

void LogFoldedBegin(Location* location, uint32_t node, uint64_t time) {
  const uint64_t path = node;
  if (epilog::IsRecordChosen(location)) epilog::LogRecordAt(location, time, RecordKind::kFoldedBegin, &path);
}

void LogFoldedEnd(Location* location, uint64_t time) {
  if (epilog::IsRecordChosen(location)) epilog::LogRecordAt(location, time, RecordKind::kFoldedEnd, nullptr);
}

}  // namespace epik::teams
