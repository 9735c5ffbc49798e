// SPDX-License-Identifier: BSD-3-Clause
// One event of a trace, in the form of all readers.
#ifndef EPIK_ARCHIVE_TRACE_EVENT_H_
#define EPIK_ARCHIVE_TRACE_EVENT_H_

#include <cstdint>

#include "runtime/event/trace.h"

namespace epik::archive {

struct Event {
  uint64_t time = 0;      // ticks of its process's timer
  uint32_t location = 0;  // number within its process
  event::RecordKind kind = event::RecordKind::kExit;
  // The node that is entered or left; for other kinds, the innermost open one. It has the number of its process; 0: not
  // known.
  uint32_t node = 0;
  uint32_t depth = 0;   // frames around the one that is entered or left; for other kinds, all open frames
  uint32_t fields = 0;  // number of fields
  // The event is not in the file: a part of the stream is missing, and the reader closed or opened this frame.
  bool made_up = false;
  uint64_t field[event::kMostFields] = {};  // in the order of records.def; the bits of int64_t and double
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_EVENT_H_
