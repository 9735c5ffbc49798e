// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/key_set.h"

#include <sys/mman.h>

#include <algorithm>

namespace epik::choice {

using event::Key;

const KeyTable no_keys = {0, {0}};

namespace {

constexpr unsigned kFirstBits = 12;
constexpr Key kGone = ~Key{0};  // no event has this key, and it ends no search

KeyTable* NewTable(unsigned bits) {
  const size_t bytes = sizeof(KeyTable) + (sizeof(Key) << bits);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* table = static_cast<KeyTable*>(memory);
  table->mask = (uint64_t{1} << bits) - 1;
  return table;
}

// Returns the slot of the key. If the table lacks it, returns the slot where it belongs: one whose key is gone, or the
// empty slot that ended the search.
Key* Place(KeyTable* table, Key key) {
  Key* gone = nullptr;
  for (uint64_t i = SlotOf(key, table->mask);; i = (i + 1) & table->mask) {
    Key* slot = &table->slots[i];
    if (*slot == key) return slot;
    if (*slot == 0) return gone != nullptr ? gone : slot;
    if (*slot == kGone && gone == nullptr) gone = slot;
  }
}

void Set(Key* slot, Key key) { __atomic_store_n(slot, key, __ATOMIC_RELAXED); }

}  // namespace

// Makes a table that is twice as large, without the keys that are gone.
KeyTable* KeySet::Grow() {
  const KeyTable* table = *place_;
  const unsigned bits = std::max(static_cast<unsigned>(__builtin_popcountll(table->mask)) + 1, kFirstBits);
  KeyTable* larger = bits > kMostKeyBits ? nullptr : NewTable(bits);
  if (larger == nullptr) return nullptr;
  used_ = 0;
  for (uint64_t i = 0; i <= table->mask; ++i) {
    if (table->slots[i] == 0 || table->slots[i] == kGone) continue;
    Set(Place(larger, table->slots[i]), table->slots[i]);
    ++used_;
  }
  __atomic_store_n(place_, larger, __ATOMIC_RELEASE);
  return larger;
}

void KeySet::Add(Key key) {
  const base::Locked lock(lock_);
  auto* table = const_cast<KeyTable*>(*place_);
  if (4 * (used_ + 1) > table->mask) {
    if (KeyTable* larger = Grow(); larger != nullptr) table = larger;
    if (used_ + 1 >= table->mask) return;
  }
  Key* slot = Place(table, key);
  used_ += *slot == 0;
  Set(slot, key);
}

void KeySet::Remove(Key key) {
  const base::Locked lock(lock_);
  if (!HasKey(*place_, key)) return;
  Set(Place(const_cast<KeyTable*>(*place_), key), kGone);
}

void KeySet::RemoveCode(uint64_t begin, uint64_t end) {
  const base::Locked lock(lock_);
  auto* table = const_cast<KeyTable*>(*place_);
  for (uint64_t i = 0; i <= table->mask; ++i) {
    const Key key = table->slots[i];
    const bool is_code = key != 0 && key != kGone && !event::IsRegion(key);
    if (is_code && event::AddressOf(key) >= begin && event::AddressOf(key) < end) Set(&table->slots[i], kGone);
  }
}

}  // namespace epik::choice
