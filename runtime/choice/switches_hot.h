// SPDX-License-Identifier: BSD-3-Clause
// Which functions and regions are switched off just now: asked where filters are asked, while there are any.
#ifndef EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_
#define EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_

#include "runtime/choice/filter_hot.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/location_hot.h"

namespace epik::episode {

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

inline bool HasSwitchTable() { return __atomic_load_n(&switch_table, __ATOMIC_RELAXED) != nullptr; }

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

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_
