// SPDX-License-Identifier: BSD-3-Clause
// Writes defs.epk and maps.epk, which define the numbers in traces, at the end of a measurement.
#ifndef EPIK_ARCHIVE_CLOSE_WRITE_TRACES_H_
#define EPIK_ARCHIVE_CLOSE_WRITE_TRACES_H_

#include <string>
#include <vector>

#include "archive/parts/trace_end.h"
#include "archive/trace/maps.h"
#include "archive/unify/build_profile.h"
#include "runtime/abi/group.h"

namespace epik::archive {

// Writes defs.epk. Only rank 0 calls it.
bool WriteTraceDefinitions(const JobSummary& job, const std::string& folder, std::string* error);

// Begins the map of a process from its image. The map is completed when all definitions have their final numbers.
ProcessMap BeginMap(const ProcessImage& image, const TraceEnd& trace);
void EndMap(const ProcessPart& part, const Mapping& numbers, ProcessMap* map);

// Collective. Writes maps.epk: each process writes its own part, and rank 0 the table of places. All ranks get the same
// answer.
bool WriteMaps(Group* group, const std::vector<ProcessMap>& maps, const std::string& folder, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_WRITE_TRACES_H_
