// SPDX-License-Identifier: BSD-3-Clause
// The files of an archive that say what is in its traces, written at the end of a measurement.
#ifndef EPIK_ARCHIVE_CLOSE_WRITE_TRACES_H_
#define EPIK_ARCHIVE_CLOSE_WRITE_TRACES_H_

#include <string>
#include <vector>

#include "archive/parts/trace_end.h"
#include "archive/trace/maps.h"
#include "archive/unify/build_profile.h"
#include "runtime/abi/group.h"

namespace epik::archive {

// Rank 0's: defs.epk.
bool WriteTraceDefinitions(const JobSummary& job, const std::string& folder, std::string* error);

// A process's map: what its image says, and, when all definitions have their numbers, the rest.
ProcessMap BeginMap(const epitome::ProcessImage& image, const TraceEnd& trace);
void EndMap(const ProcessPart& part, const Mapping& numbers, ProcessMap* map);

// Collective: maps.epk. Each process writes its own part; what rank 0 holds of each is where that is. The
// same answer for all.
bool WriteMaps(Group* group, const std::vector<ProcessMap>& maps, const std::string& folder, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_WRITE_TRACES_H_
