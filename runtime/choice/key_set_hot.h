// SPDX-License-Identifier: BSD-3-Clause
// A set of keys in which hooks search: a hash table of numbers. The selector has resolved names before (selector.h).
#ifndef EPIK_RUNTIME_CHOICE_KEY_SET_HOT_H_
#define EPIK_RUNTIME_CHOICE_KEY_SET_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::choice {

struct KeyTable {
  uint64_t mask;  // slots - 1
  event::Key slots[1];
};

// A hash has 32 bits at most, because that saves one instruction. These bits suffice, as functions lie close together.
inline constexpr unsigned kMostKeyBits = 24;
EPIK_HOT uint64_t SlotOf(event::Key key, uint64_t mask) {
  return (static_cast<uint32_t>(key) * 0x9e3779b1u >> (32 - kMostKeyBits)) & mask;
}

EPIK_HOT bool HasKey(const KeyTable* table, event::Key key) {
  uint64_t i = SlotOf(key, table->mask);
  event::Key slot = __atomic_load_n(&table->slots[i], __ATOMIC_RELAXED);
  while (EPIK_UNLIKELY(slot != key)) {
    if (slot == 0) return false;
    i = (i + 1) & table->mask;
    slot = __atomic_load_n(&table->slots[i], __ATOMIC_RELAXED);
  }
  return true;
}

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_KEY_SET_HOT_H_
