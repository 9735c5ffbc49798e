// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/locks.h"

namespace epik::epilog {

namespace {

constexpr uint32_t kMostLocks = 8192;
constexpr uint32_t kLockTable = 2 * kMostLocks;  // a power of two: a search ends at an empty place soon

struct Lock {
  uint64_t address;
  uint64_t order;  // of the latest acquisition
  int32_t waiters;
  uint32_t threads;  // of a barrier
};
Lock locks[kLockTable];
uint32_t taken = 0;

uint32_t Find(uint64_t address, bool makes) {
  const auto first = static_cast<uint32_t>(address * 0x9e3779b97f4a7c15 >> 50) % kLockTable;
  for (uint32_t i = 0; i < kLockTable; ++i) {
    const uint32_t at = (first + i) % kLockTable;
    uint64_t known = __atomic_load_n(&locks[at].address, __ATOMIC_RELAXED);
    if (known == 0 && (!makes || __atomic_load_n(&taken, __ATOMIC_RELAXED) >= kMostLocks)) return 0;
    if (known == 0 &&
        __atomic_compare_exchange_n(&locks[at].address, &known, address, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED);
      return at + 1;
    }
    if (known == address) return at + 1;
  }
  return 0;
}

}  // namespace

int32_t signal_waiters = 0;

// Places are taken once and never given back. Locks that find all taken have no number.
uint32_t NumberOfLock(uint64_t address) { return Find(address, true); }
uint32_t FindLock(uint64_t address) { return Find(address, false); }

void AddWaiter(uint32_t number, int32_t by) {
  __atomic_add_fetch(&locks[number - 1].waiters, by, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&signal_waiters, by, __ATOMIC_SEQ_CST);
}
bool HasWaiters(uint32_t number) { return __atomic_load_n(&locks[number - 1].waiters, __ATOMIC_SEQ_CST) != 0; }

void SetThreadsOf(uint32_t number, uint32_t threads) {
  __atomic_store_n(&locks[number - 1].threads, threads, __ATOMIC_RELAXED);
}
uint32_t ThreadsOf(uint32_t number) { return __atomic_load_n(&locks[number - 1].threads, __ATOMIC_RELAXED); }

// Atomic, because two teams may be in the same `ordered`.
uint64_t NextOrderOf(uint32_t number) { return __atomic_add_fetch(&locks[number - 1].order, 1, __ATOMIC_RELAXED); }

}  // namespace epik::epilog
