// SPDX-License-Identifier: BSD-3-Clause
// The trace of a location (EPILOG) while the program runs: decides which calls to log, and writes their words to the
// arena.
//
// The decision about a call comes when it ends. If it is logged, the enters of all open calls around it that are not in
// the trace yet are written first, outermost first, with the times in their frames. So no frame above an unlogged one
// is logged, `Location::logged` alone describes the state of a stack, the words are in the order of time without
// sorting, and the enter of a function costs nothing for the trace.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_H_

#include <cstdint>

#include "runtime/epilog/capture_chunks.h"
#include "runtime/episode/part.h"
#include "runtime/episode/seams_hot.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::epilog {

using event::kLogCommunication;
using event::kLogMessages;

// The selection that new locations begin with.
struct Selection {
  uint64_t worth = episode::kNeverWorth;
  uint32_t kinds = 0;
  uint64_t visits = 0;  // log each call path only this often; 0: always
};

void StartTrace(const Selection& selection, const TraceLimits& limits);
// Switches the trace of all threads. A thread in the middle of an event may still follow the old state for that event.
// Async-signal-safe. From outside: runtime/event/control.h.
void SwitchTrace(bool on);
// Drops the trace of this process: EPK_TRACE does not select it. REQUIRES: inside.
void DropTrace();

extern const episode::Part trace_part;

// If the program has several threads, a trace of communication shows each of them, even one without records: others may
// wait for it.
void LogPresence(event::Location* location);
// Logs the call that the location has just entered, and those around it. A trace of communication has this call
// although it has no record: whether and when the thread does it depends on other threads.
void LogEntered(event::Location* location);

// Whether this process may log records of communication. Valid at any time, also after the end of the measurement.
bool LogsCommunication();
// Whether the location is in a visit and a window that the trace selects.
bool IsRecordChosen(const event::Location* location);
// The records of communication and synchronization that adapters know of. Returns the time of the record; 0: the trace
// does not select it.
uint64_t LogRecord(event::RecordKind kind, const uint64_t* fields);
// The same at a time that an earlier one has returned. 0: when the innermost call was entered, if nothing came since;
// else now.
uint64_t LogRecordAt(uint64_t time, event::RecordKind kind, const uint64_t* fields);
void LogRecordAt(event::Location* location, uint64_t time, event::RecordKind kind, const uint64_t* fields);

// When this thread wrote its buffer last, because it was full; 0: never. LogLatestFlush logs that as a call from
// `since` on. It enters and leaves no frame, because the thread has nothing open but the program.
uint64_t EndOfLatestFlush();
void LogLatestFlush(event::Location* location, uint32_t node, uint64_t since);

// Writes the location's words from memory to the file. REQUIRES: the location is the caller's.
void FlushTrace(event::Location* location);

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_H_
