// SPDX-License-Identifier: BSD-3-Clause
// What is not measured: a hash table of keys, asked at every event when there is a filter at all. A key is put in
// before its first visit, so that enter and exit of a visit always get the same answer.
#ifndef EPIK_RUNTIME_EPISODE_FILTER_HOT_H_
#define EPIK_RUNTIME_EPISODE_FILTER_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::episode {

struct FilterTable {
  uint64_t shift;  // 64 - log2 of the slots
  uint64_t mask;   // slots - 1
  uint64_t patch;  // calls of hooks that come for what is filtered may be patched out (patch.h)
  event::Key slots[1];
};

// Null: everything is measured. Never freed; replaced by a larger one.
extern const FilterTable* filter_table;

EPIK_HOT bool HasFilter() { return __atomic_load_n(&filter_table, __ATOMIC_RELAXED) != nullptr; }

// REQUIRES: HasFilter().
EPIK_HOT bool MayPatch() {
  return __atomic_load_n(&__atomic_load_n(&filter_table, __ATOMIC_RELAXED)->patch, __ATOMIC_RELAXED) != 0;
}

// REQUIRES: HasFilter().
EPIK_HOT bool IsFiltered(event::Key key) {
  const FilterTable* table = __atomic_load_n(&filter_table, __ATOMIC_RELAXED);
  for (uint64_t i = (key * 0x9e3779b97f4a7c15u) >> table->shift;; i = (i + 1) & table->mask) {
    const event::Key slot = __atomic_load_n(&table->slots[i], __ATOMIC_RELAXED);
    if (slot == key) return true;
    if (slot == 0) return false;
  }
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_FILTER_HOT_H_
