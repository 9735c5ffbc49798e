// SPDX-License-Identifier: BSD-3-Clause
// Formats other than EPIK's own that a job writes its trace in when it ends (EPK_TRACE_FORMAT). Each is a library of
// its own beside libepk_archive.so, which is loaded when it is asked for; a row in trace_backends.cc makes it known.
//
// While a program runs its trace is in its arenas and, where it does not fit, in blocks beside them: that is cheap, and
// it can be recovered. At the end all processes write together, each its own threads.
#ifndef EPIK_ARCHIVE_CLOSE_TRACE_BACKENDS_H_
#define EPIK_ARCHIVE_CLOSE_TRACE_BACKENDS_H_

#include <cstdint>
#include <string>

#include "config/settings.h"
#include "runtime/abi/group.h"
#include "runtime/abi/process_group.h"

extern "C" {

inline constexpr uint32_t kEpikTraceBackendVersion = 1;

struct EpikTraceBackendRequest {
  uint32_t version;               // kEpikTraceBackendVersion
  const char* folder;             // the archive, with its definitions, maps and the trace of each process
  int32_t rank;                   // whose trace is to be written by this process; kNoRank: nobody's
  const EpikProcessGroup* group;  // null: alone. Otherwise all processes of the group call at the same time
};

// 0: done, by all. Otherwise *error says why, and what was written may be removed.
using EpikTraceBackendFunction = int (*)(const EpikTraceBackendRequest* request, char* error, uint64_t error_bytes);
}

namespace epik::archive {

inline constexpr int32_t kNoRank = INT32_MAX;

// What EPK_TRACE_FORMAT says, when it is one of those; otherwise "".
std::string TraceFormatOf(const config::Settings& settings);

// Collective: writes the traces in `folder` in another format, and removes them. `rank`: whose trace this process has
// there. False, with the reason, and they stay.
bool WriteInFormat(Group* group, const std::string& format, const std::string& folder, int32_t rank,
                   std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_TRACE_BACKENDS_H_
