// SPDX-License-Identifier: BSD-3-Clause
// Two threads that want mutexes in rounds. In each, one finds the mutex free, and gives it back when it sees that the
// other one waits for it; so the program knows which acquisitions had to wait: the second of each round. "turn MUTEX
// THREAD HELD" tells one, in the order in which they happened, and for how many nanoseconds the thread had the mutex at
// least. A thread that waits for a condition takes the mutex again after each wait; these are told, too.
//
// With an argument: four threads count to a number under one mutex, as fast as they can.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#define UNMEASURED __attribute__((no_instrument_function))
#define CHECK(what) ((what) ? (void)0 : abort())

enum { kPlain, kRecursive, kC11, kWaits, kMutexes, kMost = 64, kThreads = 4, kTimes = 20000 };
static const int kRounds[] = {7, 5, 6};

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, for_condition = PTHREAD_MUTEX_INITIALIZER,
                       own = PTHREAD_MUTEX_INITIALIZER;
static mtx_t c11;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int begun, done, waiting, ready;
static struct {
  int mutex, thread;
  int64_t held;
} told[kMost];
static int lines;  // whoever has the mutex writes

static pthread_mutex_t* Libc(int mutex) {
  return mutex == kPlain ? &plain : mutex == kRecursive ? &recursive : (pthread_mutex_t*)&c11;
}

UNMEASURED static int64_t Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

UNMEASURED static void Until(const int* word, int value) {
  while (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) sched_yield();
}

static void Lock(int mutex) {
  CHECK(mutex == kC11 ? mtx_lock(&c11) == thrd_success : pthread_mutex_lock(Libc(mutex)) == 0);
}

static void Unlock(int mutex) {
  CHECK(mutex == kC11 ? mtx_unlock(&c11) == thrd_success : pthread_mutex_unlock(Libc(mutex)) == 0);
}

static void Tell(int mutex, int thread, int64_t got) {
  told[lines].mutex = mutex;
  told[lines].thread = thread;
  told[lines++].held = Now() - got;
}

// What the thread does while it has the mutex.
static void Inside(int mutex) {
  if (mutex == kRecursive) {
    Lock(mutex);
    Unlock(mutex);
  }
  CHECK(pthread_mutex_trylock(&own) == 0 && pthread_mutex_unlock(&own) == 0);
}

static void TakeTurns(int mutex, int thread) {
  for (int i = 0; i < kRounds[mutex]; ++i) {
    Until(i % 2 == thread ? &done : &begun, i % 2 == thread ? i : i + 1);
    Lock(mutex);
    const int64_t got = Now();
    Inside(mutex);
    if (i % 2 == thread) {
      __atomic_store_n(&begun, i + 1, __ATOMIC_SEQ_CST);
      Until(&Libc(mutex)->__data.__lock, 2);
      Unlock(mutex);
    } else {
      Tell(mutex, thread, got);
      Unlock(mutex);
      __atomic_store_n(&done, i + 1, __ATOMIC_SEQ_CST);
    }
  }
}

static void AwaitSignals(int thread) {
  const struct timespec past = {1, 0};
  CHECK(pthread_mutex_lock(&for_condition) == 0);
  CHECK(pthread_cond_timedwait(&condition, &for_condition, &past) == ETIMEDOUT);
  int64_t got = Now();
  for (int i = 1; i <= 3; ++i) {
    __atomic_store_n(&waiting, i, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < i) {
      Tell(kWaits, thread, got);
      CHECK(pthread_cond_wait(&condition, &for_condition) == 0);
      got = Now();
    }
  }
  Tell(kWaits, thread, got);
  CHECK(pthread_mutex_unlock(&for_condition) == 0);
}

// Without the mutex, which is free as soon as the other thread waits.
static void Signal(void) {
  for (int i = 1; i <= 3; ++i) {
    Until(&waiting, i);
    Until(&for_condition.__data.__lock, 0);
    __atomic_store_n(&ready, i, __ATOMIC_SEQ_CST);
    CHECK(pthread_cond_signal(&condition) == 0);
  }
}

static pthread_barrier_t barrier;

static int started;

static void* Worker(void* number) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  const int thread = (int)(intptr_t)number;
  for (int mutex = 0; mutex < kWaits; ++mutex) {
    pthread_barrier_wait(&barrier);
    TakeTurns(mutex, thread);
    pthread_barrier_wait(&barrier);
    if (thread == 0) begun = done = 0;
  }
  pthread_barrier_wait(&barrier);
  if (thread == 0)
    AwaitSignals(thread);
  else
    Signal();
  return NULL;
}

static int64_t counted;

static void* Count(void* unused) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < kTimes; ++i) {
    CHECK(pthread_mutex_lock(&plain) == 0);
    if (++counted % 100 == 0) sched_yield();  // others come and find it taken
    CHECK(pthread_mutex_unlock(&plain) == 0);
  }
  return unused;
}

int main(int count, char** words) {
  (void)words;
  pthread_mutexattr_t attributes;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
  CHECK(pthread_mutex_init(&recursive, &attributes) == 0 && mtx_init(&c11, mtx_plain) == thrd_success);
  const int threads = count > 1 ? kThreads : 2;
  CHECK(pthread_barrier_init(&barrier, NULL, (unsigned)threads) == 0);
  pthread_t thread[kThreads];
  for (intptr_t i = 0; i < threads; ++i) {
    CHECK(pthread_create(&thread[i], NULL, count > 1 ? Count : Worker, (void*)i) == 0);
    Until(&started, (int)i + 1);  // so that EPIK gives them the same order
  }
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
  for (int i = 0; i < lines; ++i) printf("turn %d %d %lld\n", told[i].mutex, told[i].thread, (long long)told[i].held);
  printf("counted %lld\n", (long long)counted);
  return 0;
}
