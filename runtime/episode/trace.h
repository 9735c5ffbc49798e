// SPDX-License-Identifier: BSD-3-Clause
// The trace of a location (EPILOG) while the program runs: which calls are worth it, and their words in the arena.
//
// A call is decided upon when it ends; if it is worth it, the enters of all open calls around it that are not in the
// trace yet are written before it, outermost first, with the times their frames remember. So a frame that is not
// logged has none above it that is, `Location::logged` says all there is to know about a stack, the words are in the
// order of time without being sorted, and entering a function costs nothing at all for the trace.
#ifndef EPIK_RUNTIME_EPISODE_TRACE_H_
#define EPIK_RUNTIME_EPISODE_TRACE_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::episode {

// Bits of Location::log_kinds.
enum LogKinds : uint32_t {
  kLogCommunication = 1,  // records with their ancestors
  kLogMessages = 2        // records alone, each with its call path
};

inline constexpr uint64_t kNeverWorth = ~uint64_t{0};

// What new locations begin with.
struct Selection {
  uint64_t worth = kNeverWorth;
  uint32_t kinds = 0;
  uint64_t visits = 0;  // each call path is logged so often only; 0: always
};

struct TraceLimits {
  uint64_t buffer_bytes = 0;  // of a location, before they are written
  int level = 6;              // of compression
  bool keep_latest = false;   // overwrite the oldest instead of writing
  bool starts_off = false;    // until SwitchTrace
};

// Before the first location.
void StartTrace(const Selection& selection, const TraceLimits& limits);
// All threads log from now on, or do not; those at work may log one more event by what was said before.
// Async-signal-safe. From outside: runtime/event/control.h.
void SwitchTrace(bool on);
// Nothing of this process is wanted. REQUIRES: inside.
void DropTrace();
void ForgetTrace();  // in a forked child

void OpenLog(event::Location* location);

// The records of communication and synchronization that adapters know of. Nothing when they are not wanted.
void LogRecord(event::RecordKind kind, const uint64_t* fields);
void LogRecordAt(event::Location* location, uint64_t time, event::RecordKind kind, const uint64_t* fields);

// Whether the innermost call, which lasted `ticks`, has anything to do with the trace.
EPIK_HOT bool IsForTrace(const event::Location* location, uint64_t ticks) {
  return ticks >= __atomic_load_n(&location->worth, __ATOMIC_RELAXED) || location->top <= location->logged;
}

// The end of the innermost call in the trace, if it is for it; its frame is still there. True: EndLog must follow once
// the frame is gone. In between, what a signal handler brings is not logged.
bool BeginLogEnd(event::Location* location, const event::Frame* frame, uint64_t left);
// True: the buffer had to be written meanwhile, and `last` is when that was done.
bool EndLog(event::Location* location);

// A call that is over and was never on the stack.
void LogVisit(event::Location* location, uint32_t node, uint64_t entered, uint64_t left);

// In Location::logging while it is at work there is the index of the frame that it is about; kFlushed: and it had to
// write the buffer.
inline constexpr uint32_t kFlushed = ~uint32_t{0};
// Its trace has ended before it did; and in Location::log_stream, for good.
inline constexpr uint32_t kStopped = kFlushed - 1;
inline constexpr uint64_t kStoppedStream = ~uint64_t{0};

// After a jump that left `alive` as the innermost frame: was it out of a handler that had come in between, what it was
// at work on is over. A jump within the handler leaves it as it is.
void RepairLog(event::Location* location, uint32_t alive);

// What is in memory goes to the file. REQUIRES: the location is the caller's.
void FlushTrace(event::Location* location);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_TRACE_H_
