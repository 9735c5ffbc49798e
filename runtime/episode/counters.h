// SPDX-License-Identifier: BSD-3-Clause
// EPK_METRICS: which counters there are, and what each thread needs to read them.
#ifndef EPIK_RUNTIME_EPISODE_COUNTERS_H_
#define EPIK_RUNTIME_EPISODE_COUNTERS_H_

#include <cstdint>

#include "runtime/episode/counter_choice.h"
#include "runtime/episode/counters_hot.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::episode {

// Chooses what is asked for and makes the hooks see it. Returns the ticks that one reading of all takes. REQUIRES:
// inside, before the first location; after the hooks were calibrated.
double StartCounters(const CounterOptions& options);

// The calling thread has got a location, or has none any more. REQUIRES: inside.
void StartThreadCounters();
void StopThreadCounters();

// For the trace of the calling thread: metric records at `time` of the counters that had changed when its open call at
// that depth (outermost: 1) began, or until its last event (0). Values are sums since the thread began.
using WriteRecord = void (*)(event::Location* location, uint64_t time, event::RecordKind kind, const uint64_t* fields);
void LogCounters(event::Location* location, uint32_t depth, uint64_t time, WriteRecord write);

// Where on its stack the calling thread is at work on its counters, in an event that a handler interrupted; 0: nowhere.
// A jump out of the handler never comes back to that: then the next event reads them again.
uint64_t ChargeAtWork();
void ForgetCharge();

// The measurement ends: what sources know only now. REQUIRES: inside, no thread has a location.
void FinishCounters();

// In a forked child.
void ForgetCounters();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_COUNTERS_H_
