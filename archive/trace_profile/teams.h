// SPDX-License-Identifier: BSD-3-Clause
// Limited parallelism, which is no event of a trace: what a thread's leader spends in regions with fewer threads, while
// that one idles. It follows from forks, joins and who was where, by the rule of the runtime (NoteSize in
// runtime/episode/team.cc).
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_TEAMS_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_TEAMS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "archive/trace/trace_archive.h"

namespace epik::archive {

struct LimitedVisits {
  uint64_t visits = 0;
  uint64_t ticks = 0;
  uint64_t min = ~uint64_t{0};
  uint64_t max = 0;
  double squares = 0;
};

// By number of the thread in that process of the archive.
std::map<uint32_t, LimitedVisits> LimitedParallelism(const TraceArchive& archive, uint32_t process);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TEAMS_H_
