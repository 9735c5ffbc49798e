// SPDX-License-Identifier: BSD-3-Clause
// The trace of a location (EPILOG) while the program runs: which calls are worth it, and their words in the arena.
//
// A call is decided upon when it ends; if it is worth it, the enters of all open calls around it that are not in the
// trace yet are written before it, outermost first, with the times their frames remember. So a frame that is not
// logged has none above it that is, `Location::logged` says all there is to know about a stack, the words are in the
// order of time without being sorted, and entering a function costs nothing at all for the trace.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_H_

#include <cstdint>

#include "runtime/epilog/capture_chunks.h"
#include "runtime/episode/part.h"
#include "runtime/episode/seams_hot.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::episode {

using event::kLogCommunication;
using event::kLogMessages;

// What new locations begin with.
struct Selection {
  uint64_t worth = kNeverWorth;
  uint32_t kinds = 0;
  uint64_t visits = 0;  // each call path is logged so often only; 0: always
};

void StartTrace(const Selection& selection, const TraceLimits& limits);
// All threads log from now on, or do not; those at work may log one more event by what was said before.
// Async-signal-safe. From outside: runtime/event/control.h.
void SwitchTrace(bool on);
// Nothing of this process is wanted. REQUIRES: inside.
void DropTrace();

extern const Part trace_part;

// Whether what the location does now is one of the visits and windows that are wanted.
bool IsRecordChosen(const event::Location* location);
// The records of communication and synchronization that adapters know of. Returns when, or 0: it is not wanted.
uint64_t LogRecord(event::RecordKind kind, const uint64_t* fields);
void LogRecordAt(event::Location* location, uint64_t time, event::RecordKind kind, const uint64_t* fields);

// What is in memory goes to the file. REQUIRES: the location is the caller's.
void FlushTrace(event::Location* location);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_H_
