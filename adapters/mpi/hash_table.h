// SPDX-License-Identifier: BSD-3-Clause
// A hash table of entries with a non-zero `key`: open addressing, in memory of its own and never in the program's heap.
#ifndef EPIK_ADAPTERS_MPI_HASH_TABLE_H_
#define EPIK_ADAPTERS_MPI_HASH_TABLE_H_

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/base/leak_check.h"

namespace epik::mpi {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;  // 2⁶⁴ divided by the golden ratio
constexpr uint64_t Hash(uint64_t key) {
  const uint64_t product = key * kGolden;
  return product ^ product >> 32;
}

template <class Entry>
class HashTable {
 public:
  bool IsEmpty() const { return __atomic_load_n(&used_, __ATOMIC_RELAXED) == 0; }

  Entry* Find(uint64_t key) const {
    if (used_ == 0) return nullptr;
    Entry* place = Place(key);
    return place->key == key ? place : nullptr;
  }

  // The slots that a search for this entry passes.
  uint64_t PassedFor(const Entry* entry) const {
    return (static_cast<uint64_t>(entry - slots_) - Home(entry->key)) & mask_;
  }

  template <class Visit>
  void ForEach(Visit visit) const {
    for (uint64_t i = 0; i < capacity_; ++i) {
      if (slots_[i].key != 0) visit(slots_[i]);
    }
  }

  // Finds or makes the entry of this key; null: no memory.
  Entry* Add(uint64_t key) {
    Entry* place = capacity_ == 0 ? nullptr : Place(key);
    if (place != nullptr && place->key == key) return place;
    if (2 * (used_ + 1) > capacity_) {
      if (!Grow()) return nullptr;
      place = Place(key);
    }
    place->key = key;
    SetUsed(used_ + 1);
    return place;
  }

  // Moves up the entries behind it in the same run, so that searches need no marks for removed entries.
  void Remove(Entry* entry) {
    uint64_t hole = static_cast<uint64_t>(entry - slots_);
    for (uint64_t i = (hole + 1) & mask_; slots_[i].key != 0; i = (i + 1) & mask_) {
      const uint64_t home = Home(slots_[i].key);
      if (((i - home) & mask_) < ((i - hole) & mask_)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = Entry();
    SetUsed(used_ - 1);
  }

  // Forgets all entries, and gives their memory back.
  void Clear() {
    if (slots_ != nullptr) Free(slots_, capacity_ * sizeof(Entry));
    slots_ = nullptr;
    capacity_ = mask_ = 0;
    shift_ = 0;
    SetUsed(0);
  }

 private:
  static void Free(Entry* slots, uint64_t bytes) {
    base::HoldsNone(slots, bytes);
    munmap(slots, bytes);
  }

  // Handles are numbers that follow each other, or addresses of objects of one size. The upper bits of these products
  // lie apart from each other, as multiples of the golden ratio do.
  uint64_t Home(uint64_t key) const { return key * kGolden >> shift_; }

  // The place of the key, or where it belongs.
  Entry* Place(uint64_t key) const {
    uint64_t i = Home(key);
    while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & mask_;
    return &slots_[i];
  }

  EPIK_COLD bool Grow() {
    const uint64_t before = capacity_;
    const uint64_t bytes = (before == 0 ? kFirst : 2 * before) * sizeof(Entry);
    const int saved_errno = errno;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    if (memory == MAP_FAILED) return false;
    base::HoldsPointers(memory, bytes);
    Entry* old = slots_;
    slots_ = static_cast<Entry*>(memory);  // zeros are empty entries
    capacity_ = bytes / sizeof(Entry);
    mask_ = capacity_ - 1;
    shift_ = static_cast<unsigned>(__builtin_clzll(mask_));
    for (uint64_t i = 0; i < before; ++i) {
      if (old[i].key != 0) *Place(old[i].key) = old[i];
    }
    if (old != nullptr) Free(old, before * sizeof(Entry));
    return true;
  }

  void SetUsed(uint64_t used) { __atomic_store_n(&used_, used, __ATOMIC_RELAXED); }

  static constexpr uint64_t kFirst = 64;
  Entry* slots_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t mask_ = 0;
  unsigned shift_ = 0;  // of a hash: as many upper bits stay as the mask has
  uint64_t used_ = 0;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_HASH_TABLE_H_
