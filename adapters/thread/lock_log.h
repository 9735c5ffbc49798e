// SPDX-License-Identifier: BSD-3-Clause
// A thread that waits for a lock of libc logs two records: the first tells who has the lock, as libc knows; the second
// tells when the thread got it. Of a mutex, it also logs from when to when it has it. A thread that finds the lock free
// logs nothing.
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
inline Owner OwnerOf(const pthread_rwlock_t* lock) { return &lock->__data.__cur_writer; }  // readers have no names
#endif
inline Owner OwnerOf(const volatile void* /*lock*/) { return nullptr; }

inline bool IsMutex(const pthread_mutex_t*) { return true; }
inline bool IsMutex(const mtx_t*) { return true; }
inline bool IsMutex(const volatile void* /*lock*/) { return false; }

EPIK_COLD void LogLockWanted(const volatile void* lock, Owner owner);
EPIK_COLD void LogLockGot(const volatile void* lock, bool is_mutex);

// The calling thread has the mutex from `now` on, and its release is to be logged.
EPIK_COLD void LogMutexTaken(event::Location* location, uint64_t now, const volatile void* mutex);
// It is about to give the mutex back. Logs nothing if it took it without a record, or has locked it more than once.
EPIK_COLD void LogMutexReleased(const volatile void* mutex);

class LockLog {
 public:
  template <class Lock>
  explicit LockLog(Lock* lock) : lock_(lock), owner_(OwnerOf(lock)), is_mutex_(IsMutex(lock)) {}
  void Begin() const { LogLockWanted(lock_, owner_); }
  void End(int error) const {
    if (error == 0 || error == EOWNERDEAD) LogLockGot(lock_, is_mutex_);
  }

 private:
  const volatile void* lock_;
  Owner owner_;
  bool is_mutex_;
};

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_LOCK_LOG_H_
