// SPDX-License-Identifier: BSD-3-Clause
// The call of an adapter whose notes other processes read (runtime/monitor).
#ifndef EPIK_ADAPTERS_ABI_NOTED_CALL_H_
#define EPIK_ADAPTERS_ABI_NOTED_CALL_H_

#include "runtime/base/thread_memory.h"
#include "runtime/episode/location.h"
#include "runtime/event/layout.h"
#include "runtime/monitor/collectors.h"

namespace epik::adapters {

// The latest such call of the calling thread, measured or not.
extern base::PerThread<event::Key> noted_call;

// The frame of this call while it is open; null: the call is not measured.
EPIK_HOT const event::Frame* NotedFrame(const event::Location* location) {
  return location == nullptr ? nullptr : monitor::MeasuredFrame(location, *noted_call);
}

}  // namespace epik::adapters

#endif  // EPIK_ADAPTERS_ABI_NOTED_CALL_H_
