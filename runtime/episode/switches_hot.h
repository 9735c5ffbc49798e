// SPDX-License-Identifier: BSD-3-Clause
// What the hooks ask while something is switched off and on again, or decides whether anything is measured. Asked only
// where filters are asked.
#ifndef EPIK_RUNTIME_EPISODE_SWITCHES_HOT_H_
#define EPIK_RUNTIME_EPISODE_SWITCHES_HOT_H_

#include "runtime/episode/hot_paths_hot.h"

namespace epik::episode {

// What there is beside the filter's table.
enum Ways : uint32_t {
  kHotPathWay = 1,  // EPK_HOT, EPK_BUDGET
  kSwitchWay = 2,   // some functions or regions are off for now
  kGateWay = 4,     // EPK_MEASURE with windows of regions
  kClockWay = 8,    // … with spans of time, while there are more to come
};
extern uint32_t ways;

EPIK_HOT uint32_t WaysNow() { return __atomic_load_n(&ways, __ATOMIC_RELAXED); }
inline void AddWay(Ways way) { __atomic_fetch_or(&ways, uint32_t{way}, __ATOMIC_RELAXED); }
inline void DropWay(Ways way) { __atomic_fetch_and(&ways, ~uint32_t{way}, __ATOMIC_RELAXED); }
EPIK_HOT bool HasSwitches() { return EPIK_UNLIKELY((WaysNow() & kSwitchWay) != 0); }

struct Switch {
  event::Key key;
  uint64_t off;
};
struct SwitchTable {
  uint64_t mask;  // slots - 1
  Switch slots[1];
};
// Never freed; replaced by a larger one.
extern const SwitchTable* switch_table;

// The switch of a key; null: it has none. REQUIRES: a table.
EPIK_HOT const Switch* FindSwitch(event::Key key) {
  const SwitchTable* table = __atomic_load_n(&switch_table, __ATOMIC_ACQUIRE);
  for (uint64_t i = FilterSlot(key, table->mask);; i = (i + 1) & table->mask) {
    const event::Key found = __atomic_load_n(&table->slots[i].key, __ATOMIC_RELAXED);
    if (found == key) return &table->slots[i];
    if (found == 0) return nullptr;
  }
}

EPIK_HOT bool IsSwitchedOff(event::Key key) {
  const Switch* found = FindSwitch(key);
  return found != nullptr && __atomic_load_n(&found->off, __ATOMIC_RELAXED) != 0;
}

// A call of what is off has a frame, so that its end is known for what it is, whatever is on by then. What it calls
// hangs below its caller.
void EnterOff(Key key, uint64_t stack);
EPIK_HOT void PopOff(Location* location, const Frame* frame) {
  const uint32_t top = location->top;
  location->node = frame->outer;
  EPIK_ORDER();
  if (location->logged == top) location->logged = top - 1;  // it counts for what is above it alone
  location->top = top - 1;
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_SWITCHES_HOT_H_
