// SPDX-License-Identifier: BSD-3-Clause
// Takes a plain mutex that is free, and gives back a mutex for which nobody waits, in the same way as glibc. So both
// take as long as without EPIK. libc's functions that try are slower than those that wait, and an additional call
// before libc's would also cost time.
#ifndef EPIK_ADAPTERS_THREAD_PLAIN_MUTEX_H_
#define EPIK_ADAPTERS_THREAD_PLAIN_MUTEX_H_

#include <pthread.h>

#include <cstdint>

#include "runtime/base/compiler.h"

extern "C" __attribute__((weak)) const char __libc_single_threaded;  // glibc 2.32

namespace epik::thread {

// True: the process has one thread, so libc takes and gives back locks without atomic instructions.
EPIK_HOT bool IsAlone() { return &__libc_single_threaded != nullptr && __libc_single_threaded != 0; }

// A test when the library was loaded showed that libc takes a plain mutex like TakePlain, gives it back like GivePlain,
// and that no other library wraps these functions.
extern EPIK_HIDDEN bool plain_is_known;

// Whether a function is libc's own.
EPIK_HIDDEN bool IsInLibc(const void* function);

#ifdef __GLIBC__
// Takes the mutex if it is of the plain kind and free.
EPIK_HOT bool TakePlain(pthread_mutex_t* mutex, uint32_t thread_id) {
  if (mutex->__data.__kind != PTHREAD_MUTEX_TIMED_NP || !base::ReadShared(&plain_is_known)) return false;
  int free = 0;
  if (!__atomic_compare_exchange_n(&mutex->__data.__lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  mutex->__data.__owner = static_cast<int>(thread_id);
  ++mutex->__data.__nusers;
  return true;
}

// Gives the mutex back if it is of the plain kind and nobody waits for it.
EPIK_HOT bool GivePlain(pthread_mutex_t* mutex) {
  auto& data = mutex->__data;
  if (data.__kind != PTHREAD_MUTEX_TIMED_NP || !base::ReadShared(&plain_is_known)) return false;
  int taken = __atomic_load_n(&data.__lock, __ATOMIC_RELAXED);
  if (EPIK_UNLIKELY(taken != 1)) return false;
  const int owner = data.__owner;
  data.__owner = 0;
  --data.__nusers;
  if (IsAlone()) {
    data.__lock = 0;
    return true;
  }
  // From here on the mutex is not ours: the next thread that gets it may free its memory.
  if (EPIK_LIKELY(__atomic_compare_exchange_n(&data.__lock, &taken, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)))
    return true;
  data.__owner = owner;  // it is still ours: another thread has begun to wait for it
  ++data.__nusers;
  return false;
}
#else
EPIK_HOT bool TakePlain(pthread_mutex_t*, uint32_t) { return false; }
EPIK_HOT bool GivePlain(pthread_mutex_t*) { return false; }
#endif

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_PLAIN_MUTEX_H_
