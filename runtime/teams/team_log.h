// SPDX-License-Identifier: BSD-3-Clause
// Records of OpenMP in the trace (runtime/event/records.def). Adapters ask LogsRecords first: without a trace that is
// all that happens. Everything here is the calling thread's own but for the table of locks, whose words are given out
// once, and counted up by who holds the lock.
#ifndef EPIK_RUNTIME_TEAMS_TEAM_LOG_H_
#define EPIK_RUNTIME_TEAMS_TEAM_LOG_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/event/trace.h"
#include "runtime/teams/team.h"

namespace epik::episode {

EPIK_HOT bool LogsRecords(const Location* location) {
  return (__atomic_load_n(&location->log_kinds, __ATOMIC_RELAXED) & event::kLogRecords) != 0;
}
EPIK_HOT bool LogsRecords() {
  const Location* location = current;
  return location != nullptr && LogsRecords(location);
}

// The leader has opened its region; each thread comes to its part, and has done it.
EPIK_COLD void LogFork(Team* team);
EPIK_COLD void LogTeamBegin(const Team* team, uint32_t thread);
EPIK_COLD void LogTeamEnd(const Team* team);
// Of the leader, at the end of its barrier, within the region. Returns when the region ends.
EPIK_COLD uint64_t LogJoin(const Team* team, uint64_t now);

// The thread has come to the barrier that it has just entered; nothing for what is none.
EPIK_COLD void LogBarrier(Key barrier);

// A lock, by any address that is its own. REQUIRES: it is held. Of a lock that is set again by who holds it, only the
// outermost is logged.
EPIK_COLD void LogAcquire(uint64_t lock, bool nests);
// Before or after it was released.
EPIK_COLD void LogRelease(uint64_t lock);
// How many there are whose release is to be logged.
extern __thread uint32_t held_locks;

// A number for a task: the location that made it, and which of its tasks it is. 0: there is none.
inline constexpr unsigned kTaskShift = 32;
EPIK_COLD uint64_t NewTask();
EPIK_COLD void LogTask(event::RecordKind kind, uint64_t task);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_TEAMS_TEAM_LOG_H_
