// SPDX-License-Identifier: BSD-3-Clause
// Computes a profile from a trace. A full trace gives the same profile as the summary; `epk check` relies on that.
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_TRACE_PROFILE_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_TRACE_PROFILE_H_

#include <string>
#include <vector>

#include "archive/profile/profile.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/teams.h"

namespace epik::archive {

// The profile has visits and times of all calls in the trace, and the sums of its records (traffic.h). A call that is
// open at the end of the trace ends with its process. Time outside of logged calls is not counted. `problems` gets
// sentences about data that could not be read. `threads` share the locations; their number does not change the profile.
bool ProfileOfTrace(const TraceArchive& archive, Profile* profile, std::vector<std::string>* problems,
                    std::string* error, unsigned threads = 1);

// Makes the same profile from the packed tallies of all streams (tally.h), which other readers have gathered.
bool ProfileOfTallies(const TraceArchive& archive, const std::vector<std::string>& tallies,
                      const std::vector<LimitedThreads>& limited, Profile* profile, std::string* error,
                      const TimeLimit& limit = {});

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TRACE_PROFILE_H_
