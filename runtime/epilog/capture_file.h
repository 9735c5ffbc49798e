// SPDX-License-Identifier: BSD-3-Clause
// Where traces go when they do not fit into memory: one file a process, blocks of all its locations in it.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_FILE_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_FILE_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// Encodes what the location's trace has in memory and appends it to the process's file; its chunks are free then, and
// `logging` is kFlushed. False: it could not be written, and is still in memory. REQUIRES: inside, and no one else
// writes to the location.
bool WriteLog(event::Location* location);

// The last time the calling thread had to write.
struct LogFlush {
  uint64_t begin, end, bytes;
};
extern __thread LogFlush log_flush;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_FILE_H_
