// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/shared_lock.h"

#include <sched.h>
#include <time.h>

namespace epik::monitor {

namespace {

constexpr int kTries = 100;  // before others get the processor
constexpr int64_t kPatienceNs = 1'000'000'000;

int64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

bool TryLock(uint32_t* lock) {
  uint32_t open = 0;
  return __atomic_compare_exchange_n(lock, &open, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

}  // namespace

bool TakeSharedLock(uint32_t* lock) {
  for (int i = 0; i < kTries; ++i) {
    if (TryLock(lock)) return true;
  }
  for (const int64_t until = NowNs() + kPatienceNs; NowNs() < until;) {
    sched_yield();
    if (TryLock(lock)) return true;
  }
  return false;
}

}  // namespace epik::monitor
