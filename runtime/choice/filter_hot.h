// SPDX-License-Identifier: BSD-3-Clause
// What is not measured: a hash table of keys, asked at every event when there is a filter at all. A key is put in
// before its first visit, so that enter and exit of a visit always get the same answer.
#ifndef EPIK_RUNTIME_CHOICE_FILTER_HOT_H_
#define EPIK_RUNTIME_CHOICE_FILTER_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::episode {

struct FilterTable {
  uint64_t mask;   // slots - 1
  uint64_t patch;  // calls of hooks that come for what is filtered may be patched out (patch.h)
  event::Key slots[1];
};

// Empty in the beginning. Never freed; replaced by a larger one.
extern const FilterTable* filter_table;

// Of 32 bits, because that is one instruction less; functions lie close together.
inline constexpr unsigned kMostFilterBits = 24;
EPIK_HOT uint64_t FilterSlot(event::Key key, uint64_t mask) {
  return (static_cast<uint32_t>(key) * 0x9e3779b1u >> (32 - kMostFilterBits)) & mask;
}

EPIK_HOT const FilterTable* Filter() { return __atomic_load_n(&filter_table, __ATOMIC_RELAXED); }

EPIK_HOT bool IsFiltered(const FilterTable* table, event::Key key) {
  uint64_t i = FilterSlot(key, table->mask);
  event::Key slot = __atomic_load_n(&table->slots[i], __ATOMIC_RELAXED);
  while (EPIK_UNLIKELY(slot != key)) {
    if (slot == 0) return false;
    i = (i + 1) & table->mask;
    slot = __atomic_load_n(&table->slots[i], __ATOMIC_RELAXED);
  }
  return true;
}

EPIK_HOT bool MayPatch(const FilterTable* table) {
  return EPIK_UNLIKELY(__atomic_load_n(&table->patch, __ATOMIC_RELAXED) != 0);
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_CHOICE_FILTER_HOT_H_
