// SPDX-License-Identifier: BSD-3-Clause
// Everything that decides about an event beside the filter's table, one bit each. While all bits are 0, hooks ask only
// the table.
#ifndef EPIK_RUNTIME_CHOICE_WAYS_HOT_H_
#define EPIK_RUNTIME_CHOICE_WAYS_HOT_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/hook_state.h"

namespace epik::choice {

enum Ways : uint32_t {
  kHotPathWay = 1,  // EPK_HOT, EPK_BUDGET
  kSwitchWay = 2,   // some functions or regions are off for now
  kGateWay = 4,     // EPK_MEASURE with windows of regions
  kClockWay = 8,    // … with spans of time, while there are more to come
  kStackWay = 16,   // the program switches stacks (runtime/fibers)
  kProbeWay = 32,   // EPK_HOT=probe
};

EPIK_HOT uint32_t WaysNow() { return __atomic_load_n(&hooks.ways, __ATOMIC_RELAXED); }
inline void AddWay(Ways way) { __atomic_fetch_or(&hooks.ways, uint32_t{way}, __ATOMIC_RELAXED); }
inline void DropWay(Ways way) { __atomic_fetch_and(&hooks.ways, ~uint32_t{way}, __ATOMIC_RELAXED); }
EPIK_HOT bool HasSwitches() { return EPIK_UNLIKELY((WaysNow() & kSwitchWay) != 0); }

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_WAYS_HOT_H_
