// SPDX-License-Identifier: BSD-3-Clause
// Takes a spin lock or a semaphore that is free, and gives a spin lock back, in the same way as glibc: both are one
// word. libc's functions that try are slower, and are called by a pointer.
#ifndef EPIK_ADAPTERS_THREAD_PLAIN_WORDS_H_
#define EPIK_ADAPTERS_THREAD_PLAIN_WORDS_H_

#include <pthread.h>
#include <semaphore.h>

#include <cstdint>

#include "runtime/base/compiler.h"

namespace epik::thread {

// Tests when the library was loaded showed that libc takes them like the functions below, and that no other library
// wraps its functions.
extern EPIK_HIDDEN bool spin_lock_is_known, semaphore_is_known;

// A spin lock of glibc on x86 is 1 when it is free, and 0 or less when it is taken.
EPIK_HOT bool TakeWord(pthread_spinlock_t* lock) {
  if (!base::ReadShared(&spin_lock_is_known)) return false;
  int free = 1;
  return __atomic_compare_exchange_n(lock, &free, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

EPIK_HOT bool GiveWord(pthread_spinlock_t* lock) {
  if (!base::ReadShared(&spin_lock_is_known)) return false;
  __atomic_store_n(lock, 1, __ATOMIC_RELEASE);
  return true;
}

// A semaphore of glibc on machines of 64 bits has its value in the lower half of a word, and the number of waiting
// threads in the upper half.
EPIK_HOT bool TakeWord(sem_t* semaphore) {
  if (!base::ReadShared(&semaphore_is_known)) return false;
  auto* word = reinterpret_cast<uint64_t*>(semaphore);
  uint64_t before = __atomic_load_n(word, __ATOMIC_RELAXED);
  return static_cast<uint32_t>(before) != 0 &&
         __atomic_compare_exchange_n(word, &before, before - 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_PLAIN_WORDS_H_
