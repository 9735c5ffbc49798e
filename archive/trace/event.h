// SPDX-License-Identifier: BSD-3-Clause
// One event of a trace, as all readers give it.
#ifndef EPIK_ARCHIVE_TRACE_EVENT_H_
#define EPIK_ARCHIVE_TRACE_EVENT_H_

#include <cstdint>

#include "runtime/event/trace.h"

namespace epik::epilog {

struct Event {
  uint64_t time = 0;      // ticks of its process
  uint32_t location = 0;  // number within its process
  event::RecordKind kind = event::RecordKind::kExit;
  // The call path that is entered or left; of other kinds, the innermost one that is open. By the number it has in its
  // process; 0: not known.
  uint32_t node = 0;
  uint32_t depth = 0;   // frames around the one that is entered or left; of other kinds, frames open
  uint32_t fields = 0;  // how many
  // Not in the file: the reader closed or opened this frame where a part of the stream is missing.
  bool made_up = false;
  uint64_t field[event::kMostFields] = {};  // in the order of records.def; int64_t and double by their bits
};

}  // namespace epik::epilog

#endif  // EPIK_ARCHIVE_TRACE_EVENT_H_
