// SPDX-License-Identifier: BSD-3-Clause
// The runtime asks libepk_archive.so to make an archive of its arenas. It loads the library when the program has ended:
// names, JSON and files need libraries that a running program should not have to carry.
#ifndef EPIK_RUNTIME_ABI_FINISH_H_
#define EPIK_RUNTIME_ABI_FINISH_H_

#include <cstdint>

#include "runtime/abi/process_group.h"

extern "C" {

struct EpikFinishRequest {
  uint32_t version;   // kEpikFinishVersion
  const char* arena;  // of this process, mapped; null: it measured nothing, and only takes part in collective steps
  uint64_t arena_bytes;
  const char* unfinished;      // the unfinished archive
  const char* archive_folder;  // where the finished one goes
  int keep_arenas;
  const EpikProcessGroup* group;  // null: a process alone; otherwise all processes of the group make this call
  const char* trace_file;         // the trace that this process has written so far; the file may be missing
};

struct EpikFinishResult {
  char archive[4096];  // path of the finished archive
  char digest[2048];   // lines for people, each with its newline
  char error[1024];    // why there is no archive
};

inline constexpr uint32_t kEpikFinishVersion = 3;

// Returns 0 when the archive is complete; rank 0 has the result. Otherwise result->error tells why, and the arenas
// stay.
__attribute__((visibility("default"))) int epik_finish(const EpikFinishRequest* request, EpikFinishResult* result);

using EpikFinishFunction = int (*)(const EpikFinishRequest*, EpikFinishResult*);
}

#endif  // EPIK_RUNTIME_ABI_FINISH_H_
