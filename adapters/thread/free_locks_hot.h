// SPDX-License-Identifier: BSD-3-Clause
// Locks of libc that are free. Each is counted below the call path that takes it (locks_free); it is no visit, and has
// no time.
//
// A plain mutex is taken here, in the way of glibc: then a free one takes as long as without EPIK. Calls of libc's
// functions that try are slower than its functions that wait.
#ifndef EPIK_ADAPTERS_THREAD_FREE_LOCKS_HOT_H_
#define EPIK_ADAPTERS_THREAD_FREE_LOCKS_HOT_H_

#include <pthread.h>

#include "runtime/episode/location_hot.h"

namespace epik::thread {

// The latest free lock was taken in another call path.
__attribute__((noinline)) void CountInOther(event::Location* location, const void* caller);

EPIK_HOT void CountFree(event::Location* location, const void* caller) {
  if (EPIK_UNLIKELY(location->locks_below != location->node)) return CountInOther(location, caller);
  ++event::NodeAt(location->locks_free)->visits;
}

// A try at loading showed that libc takes a plain mutex as TakePlain does, and nobody stands between.
extern EPIK_HIDDEN bool plain_is_known;

// Takes a mutex that is of the plain kind and free.
EPIK_HOT bool TakePlain(pthread_mutex_t* mutex, uint32_t thread_id);

#ifdef __GLIBC__
bool TakePlain(pthread_mutex_t* mutex, uint32_t thread_id) {
  if (mutex->__data.__kind != PTHREAD_MUTEX_TIMED_NP || !base::ReadShared(&plain_is_known)) return false;
  int free = 0;
  if (!__atomic_compare_exchange_n(&mutex->__data.__lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  mutex->__data.__owner = static_cast<int>(thread_id);
  ++mutex->__data.__nusers;
  return true;
}
#else
bool TakePlain(pthread_mutex_t*, uint32_t) { return false; }
#endif

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_FREE_LOCKS_HOT_H_
