// SPDX-License-Identifier: BSD-3-Clause
// Takes a plain mutex that is free, in the way of glibc: then it takes as long as without EPIK, because libc's
// functions that try are slower than those that wait.
#ifndef EPIK_ADAPTERS_THREAD_PLAIN_MUTEX_H_
#define EPIK_ADAPTERS_THREAD_PLAIN_MUTEX_H_

#include <pthread.h>

#include <cstdint>

#include "runtime/base/compiler.h"

namespace epik::thread {

// A try at loading showed that libc takes a plain mutex as TakePlain does, and nobody stands between.
extern EPIK_HIDDEN bool plain_is_known;

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
#else
EPIK_HOT bool TakePlain(pthread_mutex_t*, uint32_t) { return false; }
#endif

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_PLAIN_MUTEX_H_
