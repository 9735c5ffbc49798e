// SPDX-License-Identifier: BSD-3-Clause
// Events of a trace as a location keeps them in memory until they are written: words of 64 bits.
//
// An event is one word: the lower 36 bits of its time in ticks, a zero, then what happened in 27 bits. 3 is the exit of
// the innermost frame that is in the trace; other numbers below the first line of a chunk are kinds of records.def,
// whose fields follow as one word each; anything else is an enter, by the line of its node. A word of 0 is no event:
// its thread was killed before it could fill the word.
//
// Most calls are short and call nothing. With the bit set, a word is such a whole call: 18 bits of its duration, 18
// bits from the event before to its beginning, and its node.
#ifndef EPIK_RUNTIME_EVENT_TRACE_H_
#define EPIK_RUNTIME_EVENT_TRACE_H_

#include <cstdint>

#include "runtime/base/arena.h"
#include "runtime/base/compiler.h"

namespace epik::event {

// The field of kSendMode.
enum class SendMode : uint8_t { kStandard, kSynchronous, kBuffered, kReady, kPartitioned };

enum class RecordKind : uint32_t {
  kExit = 3,
  kTime = 1,  // its field is a whole time, because the bits that words leave out have changed. In memory only
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

inline constexpr unsigned kCodeBits = 27;
inline constexpr uint64_t kCodeMask = (uint64_t{1} << kCodeBits) - 1;
inline constexpr uint64_t kCallBit = uint64_t{1} << kCodeBits;
inline constexpr unsigned kTimeShift = kCodeBits + 1;
inline constexpr unsigned kTimeBits = 64 - kTimeShift;
inline constexpr unsigned kStepBits = kTimeBits / 2;

EPIK_HOT uint64_t TraceWord(uint64_t time, uint32_t code) { return time << kTimeShift | code; }
constexpr uint32_t CodeOf(uint64_t word) { return static_cast<uint32_t>(word & kCodeMask); }
constexpr bool IsEnter(uint32_t code) { return code >= static_cast<uint32_t>(RecordKind::kEnter); }
constexpr bool IsCall(uint64_t word) { return (word & kCallBit) != 0; }
EPIK_HOT bool FitsIntoCall(uint64_t step, uint64_t duration) { return (step | duration) >> kStepBits == 0; }
EPIK_HOT uint64_t CallWord(uint64_t step, uint64_t duration, uint32_t code) {
  return duration << (kTimeShift + kStepBits) | step << kTimeShift | kCallBit | code;
}
constexpr uint64_t StepOf(uint64_t word) { return word >> kTimeShift & ((uint64_t{1} << kStepBits) - 1); }
constexpr uint64_t DurationOf(uint64_t word) { return word >> (kTimeShift + kStepBits); }
// The whole time, given the bits that words leave out.
constexpr uint64_t TimeOf(uint64_t word, uint64_t high) { return high | word >> kTimeShift; }
constexpr uint64_t HighTime(uint64_t time) { return time >> kTimeBits << kTimeBits; }

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_TRACE_H_
