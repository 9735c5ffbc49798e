// SPDX-License-Identifier: BSD-3-Clause
// Records of OpenMP in the trace (runtime/event/records.def). Adapters ask LogsRecords first; without a trace, nothing
// more happens. All data here belongs to the calling thread.
#ifndef EPIK_RUNTIME_TEAMS_TEAM_LOG_H_
#define EPIK_RUNTIME_TEAMS_TEAM_LOG_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/event/trace.h"
#include "runtime/teams/team.h"

namespace epik::teams {

EPIK_HOT bool LogsRecords(const Location* location) {
  return (__atomic_load_n(&location->log_kinds, __ATOMIC_RELAXED) & event::kLogRecords) != 0;
}
// The same for records of a thread's part of a team.
EPIK_HOT bool FollowsTeams(const Location* location) {
  return (__atomic_load_n(&location->log_kinds, __ATOMIC_RELAXED) & (event::kLogRecords | event::kFollowWindows)) != 0;
}
EPIK_HOT bool LogsRecords() {
  const Location* location = episode::current;
  return location != nullptr && LogsRecords(location);
}

// The leader has opened its region; a thread comes to its part; a thread has done its part.
EPIK_COLD void LogFork(Team* team);
EPIK_COLD void LogTeamBegin(const Team* team, uint32_t thread);
EPIK_COLD void LogTeamEnd(const Team* team);
// For the leader, at the end of its barrier, within the region. Returns the time at which the region ends.
EPIK_COLD uint64_t LogJoin(const Team* team, uint64_t now);

// Logs the `single` or the `sections` that the thread has just entered.
EPIK_COLD void LogWork();
// Logs the barrier, or the wait for tasks, that the thread has just entered; does nothing for other regions.
EPIK_COLD void LogWait(Key region);

// Logs the acquisition of a lock, by an address that identifies it. REQUIRES: the thread holds it. If the holder sets a
// lock again, only the outermost acquisition is logged.
EPIK_COLD void LogAcquire(uint64_t lock, bool nests);
// Logs the release of a lock, before or after it.
EPIK_COLD void LogRelease(uint64_t lock);
// Logs that an iteration of the loop with this address is done, or was waited for.
EPIK_COLD void LogIterationDone(uint64_t loop, uint64_t iteration);
EPIK_COLD void LogIterationNeeded(uint64_t loop, uint64_t iteration);

// The number of a task: the location that created it, and its count there. 0: the task has no number.
inline constexpr unsigned kTaskShift = 32;
EPIK_COLD uint64_t NewTask();
EPIK_COLD void LogTask(event::RecordKind kind, uint64_t task);
// Logs an item of the clause `depend` of a task that has just been created.
enum class Needs : uint8_t { kIn = 1, kOut, kMutexInOutSet, kInOutSet };
EPIK_COLD void LogTaskNeeds(uint64_t task, const void* object, Needs how);
// The task ends only when the program has also fulfilled this event. Fulfilled: the program fulfils it now.
EPIK_COLD void LogTaskDetached(uint64_t task, uint64_t event);
EPIK_COLD void LogTaskFulfilled(uint64_t event);
// At `time`, a task begins whose time belongs to the call path; or it ends. REQUIRES: inside.
EPIK_COLD void LogFoldedBegin(Location* location, uint32_t node, uint64_t time);
EPIK_COLD void LogFoldedEnd(Location* location, uint64_t time);

}  // namespace epik::teams

#endif  // EPIK_RUNTIME_TEAMS_TEAM_LOG_H_
