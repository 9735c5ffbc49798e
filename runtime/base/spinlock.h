// SPDX-License-Identifier: BSD-3-Clause
// A lock for cold paths. It needs no initialisation, works before main and after fork, and is never taken per event.
#ifndef EPIK_RUNTIME_BASE_SPINLOCK_H_
#define EPIK_RUNTIME_BASE_SPINLOCK_H_

#include <sched.h>

#include <atomic>

namespace epik::base {

class SpinLock {
 public:
  void Lock() {
    while (held_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  bool TryLock() { return !held_.exchange(true, std::memory_order_acquire); }
  void Unlock() { held_.store(false, std::memory_order_release); }
  // In a forked child: the thread that held it does not exist there.
  void Reset() { held_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> held_{false};
};

class Locked {
 public:
  explicit Locked(SpinLock& lock) : lock_(lock) { lock_.Lock(); }
  ~Locked() { lock_.Unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_SPINLOCK_H_
