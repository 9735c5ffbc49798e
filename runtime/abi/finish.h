// SPDX-License-Identifier: BSD-3-Clause
// From arenas to an archive. The same code ends a program normally and recovers what a killed one left behind.
//
// It lives in libepk_archive.so, which the runtime loads when the program has ended: names, JSON and files need
// libraries that a running program should not have to carry.
#ifndef EPIK_RUNTIME_ABI_FINISH_H_
#define EPIK_RUNTIME_ABI_FINISH_H_

#include <cstdint>

#include "runtime/abi/process_group.h"

extern "C" {

struct EpikFinishRequest {
  uint32_t version;   // kEpikFinishVersion
  const char* arena;  // of this process, mapped; null: it measured nothing, and is there for the others alone
  uint64_t arena_bytes;
  const char* unfinished;      // the unfinished archive
  const char* archive_folder;  // where the finished one goes
  int keep_arenas;
  const EpikProcessGroup* group;  // null: alone. Otherwise all processes of the group call at the same time
  const char* trace_file;         // what this process has written of its trace, which may not be there
};

struct EpikFinishResult {
  char archive[4096];  // path of the finished archive
  char digest[2048];   // lines for people, each with its newline
  char error[1024];    // why there is none
};

inline constexpr uint32_t kEpikFinishVersion = 3;

// 0: done; the result is rank 0's. Otherwise result->error says why, and the arenas are left as they are.
__attribute__((visibility("default"))) int epik_finish(const EpikFinishRequest* request, EpikFinishResult* result);

using EpikFinishFunction = int (*)(const EpikFinishRequest*, EpikFinishResult*);
}

#endif  // EPIK_RUNTIME_ABI_FINISH_H_
