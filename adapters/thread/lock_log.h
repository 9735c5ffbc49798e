// SPDX-License-Identifier: BSD-3-Clause
// A thread that waits for a lock of libc logs two records: the first tells which thread has the lock, if libc knows it;
// the second tells when this thread got it. For a mutex or a spin lock, the thread also logs the time from which and
// until which it has the lock. A thread that finds the lock free logs nothing.
#ifndef EPIK_ADAPTERS_THREAD_LOCK_LOG_H_
#define EPIK_ADAPTERS_THREAD_LOCK_LOG_H_

#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::thread {

// The thread of the operating system that has a lock; null: libc does not say.
using Owner = const int*;

#ifdef __GLIBC__
inline Owner OwnerOf(const pthread_mutex_t* mutex) { return &mutex->__data.__owner; }
inline Owner OwnerOf(const mtx_t* mutex) { return OwnerOf(reinterpret_cast<const pthread_mutex_t*>(mutex)); }
// libc does not know its readers
inline Owner OwnerOf(const pthread_rwlock_t* lock) { return &lock->__data.__cur_writer; }
#endif
inline Owner OwnerOf(const volatile void* /*lock*/) { return nullptr; }

// Whether the release of the lock is logged. For reader-writer locks that would cost 6 to 15 % if nobody waits.
inline bool HasRelease(const pthread_mutex_t*) { return true; }
inline bool HasRelease(const mtx_t*) { return true; }
inline bool HasRelease(const pthread_spinlock_t*) { return true; }
inline bool HasRelease(const pthread_rwlock_t*) { return false; }

EPIK_COLD void LogLockWanted(const volatile void* lock, Owner owner);
EPIK_COLD void LogLockGot(const volatile void* lock, bool has_release);

// The calling thread has the lock from `now` on, and its release is to be logged.
EPIK_COLD void LogLockTaken(event::Location* location, uint64_t now, const volatile void* lock);
// The thread is about to give the lock back. Logs nothing if it took it without a record.
EPIK_COLD void LogLockReleased(const volatile void* lock);
// The same for a mutex, which the thread may have locked more than once.
EPIK_COLD void LogMutexReleased(const volatile void* mutex);

class LockLog {
 public:
  template <class Lock>
  explicit LockLog(Lock* lock) : lock_(lock), owner_(OwnerOf(lock)), has_release_(HasRelease(lock)) {}
  void Begin() const { LogLockWanted(lock_, owner_); }
  void End(int error) const {
    if (error == 0 || error == EOWNERDEAD) LogLockGot(lock_, has_release_);
  }

 private:
  const volatile void* lock_;
  Owner owner_;
  bool has_release_;
};

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_LOCK_LOG_H_
