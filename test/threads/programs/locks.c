// SPDX-License-Identifier: BSD-3-Clause
// Threads that want the same mutex: in each round they come one after the other, and the first one has it for so long
// that the others are there before it gives it back. "held THREAD ASKED GOT FREED" lines, in nanoseconds, tell the
// program's own times, in the order in which the threads had the mutex.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kThreads = 3, kRounds = 4 };
static const int64_t kApart = 10000000, kLong = 60000000, kShort = 5000000, kRound = 250000000;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { int64_t thread, asked, got, freed; } held[kThreads * kRounds];
static int count;    // of them; the thread that has the mutex writes
static int started;  // threads
static int64_t begin;

__attribute__((no_instrument_function)) static int64_t Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

// Leaves the processors to the others.
__attribute__((noinline)) static void work(int64_t until) {
  for (int64_t left; (left = until - Now()) > 0;) {
    const struct timespec time = {0, left};
    nanosleep(&time, NULL);
  }
}

__attribute__((noinline)) static void critical(int64_t until) {
  while (Now() < until) {
  }
}

static void round_of(int64_t thread, int64_t number) {
  work(begin + number * kRound + thread * kApart);
  const int64_t asked = Now();
  if (pthread_mutex_lock(&mutex) != 0) abort();
  const int64_t got = Now();
  critical(got + (thread == 0 ? kLong : kShort));
  held[count].thread = thread;
  held[count].asked = asked;
  held[count].got = got;
  held[count++].freed = Now();
  pthread_mutex_unlock(&mutex);
}

static void* worker(void* number) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < kRounds; ++i) round_of((intptr_t)number, i);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  begin = Now() + kRound;
  for (intptr_t i = 0; i < kThreads; ++i) {  // one after the other, so that EPIK gives them the same order
    pthread_create(&threads[i], NULL, worker, (void*)i);
    while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) <= i) {
    }
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < count; ++i) {
    printf("held %d %lld %lld %lld\n", (int)held[i].thread + 1, (long long)held[i].asked, (long long)held[i].got,
           (long long)held[i].freed);
  }
  return 0;
}
