// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/locks.h"

namespace epik::episode {

namespace {

constexpr uint32_t kLockTable = 8192;  // a power of two

struct Lock {
  uint64_t address;
  uint64_t order;  // of the latest one to hold it
};
Lock locks[kLockTable];

}  // namespace

// Places are taken once and never given back.
uint32_t NumberOfLock(uint64_t address) {
  const auto first = static_cast<uint32_t>(address * 0x9e3779b97f4a7c15 >> 51) % kLockTable;
  for (uint32_t i = 0; i < kLockTable; ++i) {
    const uint32_t at = (first + i) % kLockTable;
    uint64_t known = __atomic_load_n(&locks[at].address, __ATOMIC_RELAXED);
    if (known == 0 &&
        __atomic_compare_exchange_n(&locks[at].address, &known, address, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return at + 1;
    }
    if (known == address) return at + 1;
  }
  return 0;
}

// Atomically for the sake of `ordered`: two teams may be in the same one.
uint64_t NextOrderOf(uint32_t number) { return __atomic_add_fetch(&locks[number - 1].order, 1, __ATOMIC_RELAXED); }

}  // namespace epik::episode
