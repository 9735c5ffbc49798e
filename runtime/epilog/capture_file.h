// SPDX-License-Identifier: BSD-3-Clause
// The file for traces that do not fit into memory: one file for each process, with the blocks of all its locations.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_FILE_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_FILE_H_

#include <cstdint>

#include "runtime/base/thread_memory.h"
#include "runtime/event/layout.h"

namespace epik::epilog {

// Encodes the words of the location's trace and appends them to the process's file. Then its chunks are free, and
// `logging` is kFlushed. False: the words could not be written and are still in memory. REQUIRES: inside, and no one
// else writes to the location.
bool WriteLog(event::Location* location);

// The last time the calling thread had to write.
struct LogFlush {
  uint64_t begin, end, bytes;
  event::Location* leaving;  // null, or the location of the thread, which ends …
  uint64_t left;             // … and had left all that it had open then
};
extern base::PerThread<LogFlush> log_flush;

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_FILE_H_
