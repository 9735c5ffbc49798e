// SPDX-License-Identifier: BSD-3-Clause
// Limited parallelism from a trace: the time for which a thread idles while the leader of its team is in a parallel
// region with fewer threads. A trace has no event for it. It follows from forks, joins and team members, by the same
// rule as in the running program (NoteSize in team.cc of the runtime).
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_TEAMS_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_TEAMS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "archive/files/time_limit.h"
#include "archive/trace/trace_archive.h"

namespace epik::archive {

struct LimitedVisits {
  uint64_t visits = 0;
  uint64_t ticks = 0;
  uint64_t min = ~uint64_t{0};
  uint64_t max = 0;
  double squares = 0;
};

// By the number of the idle thread in its process.
using LimitedThreads = std::map<uint32_t, LimitedVisits>;

// Returns it for each process. Reads all events if the run had limited parallelism. `threads` share the processes.
std::vector<LimitedThreads> LimitedParallelism(const TraceArchive& archive, unsigned threads = 1,
                                               const TimeLimit& limit = {});

// The call path of limited parallelism, or kNone if the profile lacks it.
uint32_t LimitedPath(const Profile& profile);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TEAMS_H_
