// SPDX-License-Identifier: BSD-3-Clause
// The profile that a trace says: of a full one, the same as the summary.
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_TRACE_PROFILE_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_TRACE_PROFILE_H_

#include <string>
#include <vector>

#include "archive/profile/profile.h"
#include "archive/trace/trace_archive.h"

namespace epik::archive {

// Visits and times of all calls in the trace; those that are open at its end, end when their process did. Time that is
// in no logged call is nobody's. And what its records add up to (trace_traffic.h). `problems`: what could not be read.
bool ProfileOfTrace(const TraceArchive& archive, epitome::Profile* profile, std::vector<std::string>* problems,
                    std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TRACE_PROFILE_H_
