// SPDX-License-Identifier: BSD-3-Clause
// The table of files (io::): a record in the arena for each path, found again by its name, so that it outlives a kill.
#ifndef EPIK_RUNTIME_COUNTERS_FILES_H_
#define EPIK_RUNTIME_COUNTERS_FILES_H_

#include <cstdint>

#include "runtime/episode/part.h"
#include "runtime/event/files.h"

namespace epik::counters {

// The number by which calls are added; 0: nothing is measured. Files beyond event::kMostFiles share one. Takes a lock.
uint64_t NumberOfFile(const char* path);

// False: the number belongs to a process from which this one was forked.
bool AddFileCall(uint64_t file, event::FileCall call, uint64_t bytes, uint64_t ns);

extern const episode::Part files_part;

}  // namespace epik::counters

#endif  // EPIK_RUNTIME_COUNTERS_FILES_H_
