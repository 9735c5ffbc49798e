// SPDX-License-Identifier: BSD-3-Clause
// The end of a process's trace: what its arena still holds goes to its file, which gets its index and its place in the
// archive. The same for a program that ended and for one that was killed.
#ifndef EPIK_ARCHIVE_PARTS_TRACE_END_H_
#define EPIK_ARCHIVE_PARTS_TRACE_END_H_

#include <cstdint>
#include <string>

#include "archive/image/process_image.h"
#include "archive/trace/clock.h"

namespace epik::archive {

struct TraceEnd {
  std::string file;  // in the archive: "traces/000/0.elg"; empty: the process logged nothing
  uint64_t events = 0;
  uint64_t bytes = 0;
};

bool HasTrace(const epitome::ProcessImage& image);

// How the process's clock runs, as far as it is known.
epilog::ClockFacts ClockOf(const epitome::ProcessImage& image);

// "traces/001/1234.elg"
std::string TraceFileName(int32_t rank);

// The file that the process wrote to while it ran, if it did, is moved, or copied when it may still write to it. What
// is in the file already is not written again. False when the file cannot be written: then it holds what it held
// before, in the archive or where it was.
bool EndTrace(const epitome::ProcessImage& image, bool copy, const std::string& archive, TraceEnd* end,
              std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_TRACE_END_H_
