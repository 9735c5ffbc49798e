// SPDX-License-Identifier: BSD-3-Clause
// EPK_METRICS: the counters, and the state that each thread needs to read them.
#ifndef EPIK_RUNTIME_COUNTERS_COUNTERS_H_
#define EPIK_RUNTIME_COUNTERS_COUNTERS_H_

#include <cstdint>

#include "runtime/counters/counters_hot.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::counters {

// Writes metric records at `time` into the trace of the calling thread: one for each counter that had changed until its
// open call at that depth (outermost: 1) began, or until its last event (depth 0). Values are sums since the thread
// began.
using WriteRecord = void (*)(event::Location* location, uint64_t time, event::RecordKind kind, const uint64_t* fields);
void LogCounters(event::Location* location, uint32_t depth, uint64_t time, WriteRecord write);
// The same for the innermost call at the end of the measurement. It has no exit, up to which a peak would hold, so each
// peak has a record.
void LogLastCounters(event::Location* location, uint64_t time, WriteRecord write);

// The place on the stack where the calling thread reads its counters, in an event that a handler interrupted; 0:
// nowhere.
uint64_t ChargeAtWork();

extern const episode::Part counters_part;

}  // namespace epik::counters

#endif  // EPIK_RUNTIME_COUNTERS_COUNTERS_H_
