// SPDX-License-Identifier: BSD-3-Clause
// Two threads that want mutexes and a spin lock in rounds. In each, one finds the lock free, and gives it back when it
// sees that the other one waits for it; so the program knows which acquisitions had to wait: the second of each round.
// "turn LOCK THREAD HELD" tells one, in the order in which they happened, and for how many nanoseconds the thread had
// the lock at least. A thread that waits for a condition takes the mutex again after each wait; these are told, too.
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

enum { kPlain, kRecursive, kC11, kSpin, kWaits, kMost = 64, kThreads = 4, kTimes = 20000 };
static const int kRounds[] = {7, 5, 6, 5};

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, for_condition = PTHREAD_MUTEX_INITIALIZER,
                       own = PTHREAD_MUTEX_INITIALIZER;
static mtx_t c11;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int begun, done, wants, waiting, ready;
static clockid_t clocks[2];
static struct {
  int lock, thread;
  int64_t held;
} told[kMost];
static int lines;  // the thread that has the lock writes

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

static void Lock(int lock) {
  switch (lock) {
    case kC11: CHECK(mtx_lock(&c11) == thrd_success); return;
    case kSpin: CHECK(pthread_spin_lock(&spin) == 0); return;
    default: CHECK(pthread_mutex_lock(Libc(lock)) == 0);
  }
}

static void Unlock(int lock) {
  switch (lock) {
    case kC11: CHECK(mtx_unlock(&c11) == thrd_success); return;
    case kSpin: CHECK(pthread_spin_unlock(&spin) == 0); return;
    default: CHECK(pthread_mutex_unlock(Libc(lock)) == 0);
  }
}

UNMEASURED static int64_t CpuTime(int thread) {
  struct timespec now;
  CHECK(clock_gettime(clocks[thread], &now) == 0);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

// Waits until the other thread, which has announced it, waits for the lock. A spin lock does not show that; but the
// other thread does no other work any more.
UNMEASURED static void UntilItWaits(int lock, int thread, int round) {
  Until(&wants, round + 1);
  if (lock == kSpin) {
    const int64_t since = CpuTime(thread);
    while (CpuTime(thread) < since + 2000000) sched_yield();
  } else {
    Until(&Libc(lock)->__data.__lock, 2);
  }
}

static void Tell(int lock, int thread, int64_t got) {
  told[lines].lock = lock;
  told[lines].thread = thread;
  told[lines++].held = Now() - got;
}

// The work of the thread while it has the lock.
static void Inside(int lock) {
  if (lock == kRecursive) {
    Lock(lock);
    Unlock(lock);
  }
  CHECK(pthread_mutex_trylock(&own) == 0 && pthread_mutex_unlock(&own) == 0);
}

static void TakeTurns(int lock, int thread) {
  for (int i = 0; i < kRounds[lock]; ++i) {
    Until(i % 2 == thread ? &done : &begun, i % 2 == thread ? i : i + 1);
    if (i % 2 != thread) __atomic_store_n(&wants, i + 1, __ATOMIC_SEQ_CST);
    Lock(lock);
    const int64_t got = Now();
    Inside(lock);
    if (i % 2 == thread) {
      __atomic_store_n(&begun, i + 1, __ATOMIC_SEQ_CST);
      UntilItWaits(lock, 1 - thread, i);
      Unlock(lock);
    } else {
      Tell(lock, thread, got);
      Unlock(lock);
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
  CHECK(pthread_getcpuclockid(pthread_self(), &clocks[thread]) == 0);
  for (int lock = 0; lock < kWaits; ++lock) {
    pthread_barrier_wait(&barrier);
    TakeTurns(lock, thread);
    pthread_barrier_wait(&barrier);
    if (thread == 0) begun = done = wants = 0;
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
  CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
  const int threads = count > 1 ? kThreads : 2;
  CHECK(pthread_barrier_init(&barrier, NULL, (unsigned)threads) == 0);
  pthread_t thread[kThreads];
  for (intptr_t i = 0; i < threads; ++i) {
    CHECK(pthread_create(&thread[i], NULL, count > 1 ? Count : Worker, (void*)i) == 0);
    Until(&started, (int)i + 1);  // so that EPIK gives them the same order
  }
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
  for (int i = 0; i < lines; ++i) printf("turn %d %d %lld\n", told[i].lock, told[i].thread, (long long)told[i].held);
  printf("counted %lld\n", (long long)counted);
  return 0;
}
