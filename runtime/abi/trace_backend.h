// SPDX-License-Identifier: BSD-3-Clause
// The interface between libepk_archive.so and a library that writes traces in another format when a job ends
// (EPK_TRACE_FORMAT).
// libepk_otf2.so is such a library; archive/close/trace_backends.cc has the list of them.
#ifndef EPIK_RUNTIME_ABI_TRACE_BACKEND_H_
#define EPIK_RUNTIME_ABI_TRACE_BACKEND_H_

#include <cstdint>

#include "runtime/abi/process_group.h"

extern "C" {

inline constexpr uint32_t kEpikTraceBackendVersion = 2;

struct EpikTraceBackendRequest {
  uint32_t version;               // kEpikTraceBackendVersion
  const char* folder;             // the archive, with its definitions, maps and the trace of each process
  int32_t rank;                   // the rank whose trace this process writes; kNoRank: none
  const EpikProcessGroup* group;  // null: a process alone; otherwise all processes of the group make this call
  const char* program;            // the name of what ran; at the root of the group
};

// Returns 0 when all processes are done. Otherwise *error tells why, and the caller may remove what was written.
using EpikTraceBackendFunction = int (*)(const EpikTraceBackendRequest* request, char* error, uint64_t error_bytes);
}

namespace epik::archive {

// The rank of a process that has no trace to write.
inline constexpr int32_t kNoRank = INT32_MAX;

}  // namespace epik::archive

#endif  // EPIK_RUNTIME_ABI_TRACE_BACKEND_H_
