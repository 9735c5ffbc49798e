// SPDX-License-Identifier: BSD-3-Clause
// Room for the words of a location's trace: chunks of the arena, one after the other. When the buffer is full, they are
// written to the file or overwritten.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_CHUNKS_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_CHUNKS_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/epilog/capture_state.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::epilog {

struct TraceLimits {
  uint64_t buffer_bytes = 0;  // of a location
  int level = 6;              // of compression
  bool keep_latest = false;   // overwrite the oldest instead of writing
  bool starts_off = false;    // until SwitchTrace
};

extern TraceLimits trace_limits;

// A time, a word and its fields are appended together.
inline constexpr uint32_t kLongestRecord = 2 + 1 + event::kMostFields;

inline uint64_t* WordAt(uint32_t index) { return reinterpret_cast<uint64_t*>(base::arena_base) + index; }

// Writes the words first and then the watermark, so that a reader may trust everything below it.
inline void AppendTime(event::Location* location, uint64_t time) {
  uint64_t* words = WordAt(location->log_at);
  words[0] = event::TraceWord(time, static_cast<uint32_t>(event::RecordKind::kTime));
  words[1] = time;
  EPIK_ORDER();
  location->log_at += 2;
}

// Finds room for the longest record at `time`. False: there is no room, and the location's trace has ended.
EPIK_COLD bool NextChunk(event::Location* location, uint64_t time);

// Ends the stream, for this thread and for those that reuse its place; later events are counted as unlogged.
void StopLog(event::Location* location);

// Says that the location's thread works on the trace no longer.
void Release(event::Location* location);

// A thread begins: requests that were made before do not concern it.
void BeginLog(event::Location* location);

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_CHUNKS_H_
