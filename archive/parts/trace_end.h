// SPDX-License-Identifier: BSD-3-Clause
// Completes the trace of one process: the words that are still in its arena are encoded and appended to its file, and
// the file gets its index and its place in the archive. Used for programs that ended by themselves and for programs
// that were killed.
#ifndef EPIK_ARCHIVE_PARTS_TRACE_END_H_
#define EPIK_ARCHIVE_PARTS_TRACE_END_H_

#include <cstdint>
#include <string>

#include "archive/image/process_image.h"
#include "archive/trace/clock.h"

namespace epik::archive {

struct TraceEnd {
  std::string file;  // path within the archive: "traces/000/0.elg"; empty: the process logged nothing
  uint64_t events = 0;
  uint64_t bytes = 0;
};

bool HasTrace(const ProcessImage& image);

// The scale of the process's clock, as far as its arena has it.
ClockFacts ClockOf(const ProcessImage& image);

// "traces/001/1234.elg"
std::string TraceFileName(int32_t rank);

// The file that the process wrote while it ran, if any, is moved to the archive. With `copy` it is copied, because the
// process may still write to it. Words that are in the file already are not written again. Returns false when the file
// cannot be written; then it keeps its former contents, at its old or new place.
bool EndTrace(const ProcessImage& image, bool copy, const std::string& archive, TraceEnd* end, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_TRACE_END_H_
