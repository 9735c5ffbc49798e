// SPDX-License-Identifier: BSD-3-Clause
// Events of a trace as a location keeps them in memory until they are written: words of 64 bits.
//
// An event is one word: the lower 37 bits of its time in ticks, then what happened in 27 bits. 0 is the exit of the
// innermost frame that is in the trace; numbers below the first line of a chunk are kinds of records.def, whose fields
// follow as one word each; anything else is an enter, by the line of its node. A word of 0 is nothing: its thread was
// killed before it could fill it.
#ifndef EPIK_RUNTIME_EVENT_TRACE_H_
#define EPIK_RUNTIME_EVENT_TRACE_H_

#include <cstdint>

#include "runtime/base/arena.h"
#include "runtime/base/compiler.h"

namespace epik::event {

enum class RecordKind : uint32_t {
  kExit = 0,
  kTime = 1,  // its field is a whole time: the bits of it that words leave out have changed. In memory only
#define RECORD(id, number, ...) k##id = number,
#include "runtime/event/records.def"
#undef RECORD
  kEnter = base::kFirstChunkLine
};

constexpr uint32_t CountFields(const char* fields) {
  uint32_t n = 0;
  for (; *fields != '\0'; ++fields) n += *fields == ':';
  return n;
}

// Words that follow the first.
constexpr uint32_t FieldsOf(RecordKind kind) {
  switch (kind) {
    case RecordKind::kTime: return 1;
#define RECORD(id, number, name, fields) \
  case RecordKind::k##id:                \
    return CountFields(fields);
#include "runtime/event/records.def"
#undef RECORD
    default: return 0;
  }
}
inline constexpr uint32_t kMostFields = 6;

inline constexpr unsigned kTimeShift = 27;
inline constexpr unsigned kTimeBits = 64 - kTimeShift;
inline constexpr uint64_t kCodeMask = (uint64_t{1} << kTimeShift) - 1;

EPIK_HOT uint64_t TraceWord(uint64_t time, uint32_t code) { return time << kTimeShift | code; }
constexpr uint32_t CodeOf(uint64_t word) { return static_cast<uint32_t>(word & kCodeMask); }
constexpr bool IsEnter(uint32_t code) { return code >= static_cast<uint32_t>(RecordKind::kEnter); }
// The whole time, given the bits that words leave out.
constexpr uint64_t TimeOf(uint64_t word, uint64_t high) { return high | word >> kTimeShift; }
constexpr uint64_t HighTime(uint64_t time) { return time >> kTimeBits << kTimeBits; }

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_TRACE_H_
