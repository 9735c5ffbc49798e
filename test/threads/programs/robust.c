// SPDX-License-Identifier: BSD-3-Clause
// Threads die with a mutex that tells about it. One is repaired, for another one it is too late.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(what) ((what) ? (void)0 : abort())

static pthread_mutex_t mutex;
static int taken;

static void* Lock(void* nothing) {
  (void)nothing;
  return (void*)(long)pthread_mutex_lock(&mutex);
}

static void* LockInTime(void* nothing) {
  (void)nothing;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  return (void*)(long)pthread_mutex_timedlock(&mutex, &until);
}

static void* Hold(void* nothing) {
  const unsigned kSomebodyWaits = 1u << 31;  // FUTEX_WAITERS
  CHECK(pthread_mutex_lock(&mutex) == 0);
  __atomic_store_n(&taken, 1, __ATOMIC_SEQ_CST);
  while (!((unsigned)__atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) & kSomebodyWaits)) sched_yield();
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return nothing;
}

static long ResultOf(void* (*run)(void*)) {
  pthread_t thread;
  void* result;
  CHECK(pthread_create(&thread, NULL, run, NULL) == 0 && pthread_join(thread, &result) == 0);
  return (long)result;
}

static void Tell(const char* what, long result) { printf("%s: %ld\n", what, result); }

int main(void) {
  static const int kTypes[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 0; i < 6; ++i) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kTypes[i / 2]);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setprotocol(&attributes, i % 2 ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
    CHECK(pthread_mutex_init(&mutex, &attributes) == 0);

    pthread_t holder;
    CHECK(pthread_create(&holder, NULL, Hold, NULL) == 0);
    while (!__atomic_exchange_n(&taken, 0, __ATOMIC_SEQ_CST)) continue;
    Tell("taken, then free", pthread_mutex_lock(&mutex));
    CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_join(holder, NULL) == 0);

    Tell("a thread dies", ResultOf(Lock));
    Tell("its heir", pthread_mutex_lock(&mutex));
    CHECK(pthread_mutex_consistent(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    Tell("the next one dies", ResultOf(Lock));
    Tell("its heir", pthread_mutex_lock(&mutex));
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    Tell("too late", ResultOf(Lock));
    Tell("too late", ResultOf(Lock));
    Tell("too late", ResultOf(LockInTime));
    Tell("too late", pthread_mutex_lock(&mutex));
    Tell("too late", pthread_mutex_lock(&mutex));
  }
  return 0;
}
