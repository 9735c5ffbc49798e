// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/teams/team_log.h"

#include "runtime/choice/windows.h"
#include "runtime/epilog/capture.h"
#include "runtime/epilog/held_locks.h"
#include "runtime/epilog/locks.h"
#include "runtime/episode/options.h"

namespace epik::teams {

using epilog::HeldLock;
using episode::current;
using event::Construct;
using event::RecordKind;

namespace {

template <class... Fields>
void Log(RecordKind kind, Fields... fields) {
  const uint64_t words[] = {static_cast<uint64_t>(fields)...};
  epilog::LogRecord(kind, words);
}

}  // namespace

void LogFork(Team* team) {
  Member* owner = team->owner;
  if (owner == nullptr || !epilog::IsRecordChosen(owner->location)) return;  // nor the team's other records
  team->instance = ++owner->forks;
  Log(RecordKind::kFork, team->node, owner->forks);
}

void LogTeamBegin(const Team* team, uint32_t thread) {
  const uint64_t instance = team->instance;
  const Location* leader = team->leader.Take();
  Location* location = current;
  if (location == nullptr) return;
  choice::InheritWindows(location, leader, team->node);
  if (instance == 0) return;  // the leader logs nothing
  Log(RecordKind::kTeamBegin, leader->number, instance, thread);
  const bool tells_size = thread == 0 && episode::adapter_options.trace_lacks_some;
  if (tells_size) Log(RecordKind::kTeamSize, instance, uint32_t{team->size});
}

void LogTeamEnd(const Team* team) {
  if (const uint64_t instance = team->instance; instance != 0) Log(RecordKind::kTeamEnd, instance);
}

uint64_t LogJoin(const Team* team, uint64_t now) {
  Location* location = current;
  const uint64_t instance = team->instance;
  if (instance == 0 || location == nullptr || !epilog::IsRecordChosen(location)) return now;
  epilog::LogRecordAt(location, now, RecordKind::kJoin, &instance);
  return base::Now();  // the buffer may have been written meanwhile
}

void LogWork() {
  if (Location* location = current) epilog::LogEntered(location);
}

void LogWait(Key region) {
  if (event::IsRegion(region)) return;
  switch (event::ConstructOf(region)) {
    case Construct::kBarrier:
    case Construct::kImplicitBarrier:
    case Construct::kReduction: epilog::LogRecord(RecordKind::kBarrier, nullptr); return;
    case Construct::kTaskwait: epilog::LogRecord(RecordKind::kTaskWait, nullptr); return;
    default: return;
  }
}

void LogAcquire(uint64_t lock, bool nests) {
  HeldLock* mine = epilog::FindHeld(lock);
  if (mine != nullptr && nests) {
    ++mine->depth;
    return;
  }
  Location* location = current;
  if (location == nullptr) return;
  mine = epilog::Hold(location, lock);
  if (mine == nullptr) return;
  base::SettleClock();  // not before the last holder gave the lock back
  Log(RecordKind::kLockAcquire, mine->number, mine->order);
}

void LogRelease(uint64_t lock) {
  HeldLock* mine = epilog::FindHeld(lock);
  if (mine == nullptr || --mine->depth != 0) return;
  const HeldLock was = *mine;
  epilog::Drop(mine);
  Log(RecordKind::kLockRelease, was.number, was.order);
}

void LogIterationDone(uint64_t loop, uint64_t iteration) {
  if (const uint32_t number = epilog::NumberOfLock(loop); number != 0)
    Log(RecordKind::kIterationDone, number, iteration);
}

void LogIterationNeeded(uint64_t loop, uint64_t iteration) {
  const uint32_t number = epilog::NumberOfLock(loop);
  if (number == 0) return;
  base::SettleClock();  // not before the other thread told that the iteration is done
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

void LogTaskNeeds(uint64_t task, const void* object, Needs how) {
  if (task != 0) Log(RecordKind::kTaskNeeds, task, reinterpret_cast<uint64_t>(object), how);
}

void LogTaskDetached(uint64_t task, uint64_t event) {
  if (task != 0) Log(RecordKind::kTaskDetached, task, event);
}

void LogTaskFulfilled(uint64_t event) { Log(RecordKind::kTaskFulfilled, event); }

void LogFoldedBegin(Location* location, uint32_t node, uint64_t time) {
  const uint64_t path = node;
  if (epilog::IsRecordChosen(location)) epilog::LogRecordAt(location, time, RecordKind::kFoldedBegin, &path);
}

void LogFoldedEnd(Location* location, uint64_t time) {
  if (epilog::IsRecordChosen(location)) epilog::LogRecordAt(location, time, RecordKind::kFoldedEnd, nullptr);
}

}  // namespace epik::teams
