// SPDX-License-Identifier: BSD-3-Clause
// Room for the words of a location's trace: chunks of the arena, one after the other, until the buffer is full and they
// are written or given up.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_CHUNKS_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_CHUNKS_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/epilog/capture_state.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::episode {

struct TraceLimits {
  uint64_t buffer_bytes = 0;  // of a location, before they are written
  int level = 6;              // of compression
  bool keep_latest = false;   // overwrite the oldest instead of writing
  bool starts_off = false;    // until SwitchTrace
};

extern TraceLimits trace_limits;

// A time, a word and its fields: what is appended in one go.
inline constexpr uint32_t kLongestRecord = 2 + 1 + event::kMostFields;

inline uint64_t* WordAt(uint32_t index) { return reinterpret_cast<uint64_t*>(base::arena_base) + index; }

// Words first, then the watermark: whoever reads it may believe the rest.
inline void AppendTime(event::Location* location, uint64_t time) {
  uint64_t* words = WordAt(location->log_at);
  words[0] = event::TraceWord(time, static_cast<uint32_t>(event::RecordKind::kTime));
  words[1] = time;
  EPIK_ORDER();
  location->log_at += 2;
}

// There seems to be no room for the longest record at `time`. False: there is none, and the location's trace has ended.
EPIK_COLD bool NextChunk(event::Location* location, uint64_t time);

// The stream ends here, for this thread and those that get its place; what belongs into it from now on is counted.
void StopLog(event::Location* location);

// It is not at work on the trace any more.
void Release(event::Location* location);

// This thread notes by itself that the trace was switched on.
void SeeSwitch();

// A thread begins: what was asked of others before is not for it.
void BeginLog(event::Location* location);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_CHUNKS_H_
