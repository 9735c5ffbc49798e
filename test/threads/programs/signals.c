// SPDX-License-Identifier: BSD-3-Clause
// Three threads that wait for signals, posts and each other. The program's own times, in nanoseconds:
//   signal WAITER FROM SIGNAL GOT   waited for a condition that thread 2 signalled, and had the mutex
//   alone WAITER FROM GOT           the same, without a signal
//   post WAITER FROM POST GOT
//   word WAITER FROM WAKE GOT       waited for a word in memory
//   barrier ROUND THREAD FROM
// With an argument, each thread waits for an event that never comes, and main kills the program.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "spend.h"

enum { kThreads = 3, kMost = 64 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static mtx_t mutex11;
static cnd_t condition11;
static sem_t semaphore;
static pthread_barrier_t barrier;
static int ready, ready11, begun;
static int word;
static int64_t signalled, posted, woken;
static char told[kMost][128];
static int lines;

#define TELL(...) snprintf(told[__atomic_fetch_add(&lines, 1, __ATOMIC_SEQ_CST)], sizeof told[0], __VA_ARGS__)

__attribute__((noinline)) static void produce(void) { Spend(60000000); }
__attribute__((noinline)) static void keep(void) { Spend(20000000); }
__attribute__((noinline)) static void fill(void) { Spend(50000000); }
__attribute__((noinline)) static void alter(void) { Spend(40000000); }
__attribute__((noinline)) static void work(int64_t ns) { Spend(ns); }

static void Meet(int round, int thread) {
  TELL("barrier %d %d %lld", round, thread, (long long)Now());
  pthread_barrier_wait(&barrier);
}

static void AwaitCondition(int thread) {
  pthread_mutex_lock(&mutex);
  while (!ready) {
    const int64_t from = Now();
    pthread_cond_wait(&condition, &mutex);
    TELL("signal %d %lld %lld %lld", thread, (long long)from, (long long)signalled, (long long)Now());
  }
  pthread_mutex_unlock(&mutex);
}

static void AwaitCondition11(int thread) {
  mtx_lock(&mutex11);
  while (!ready11) {
    const int64_t from = Now();
    cnd_wait(&condition11, &mutex11);
    TELL("signal %d %lld %lld %lld", thread, (long long)from, (long long)signalled, (long long)Now());
  }
  mtx_unlock(&mutex11);
}

static void GiveUp(int thread) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 30000000;
  if (until.tv_nsec >= 1000000000) until = (struct timespec){until.tv_sec + 1, until.tv_nsec - 1000000000};
  pthread_mutex_lock(&mutex);
  const int64_t from = Now();
  pthread_cond_timedwait(&condition, &mutex, &until);
  TELL("alone %d %lld %lld", thread, (long long)from, (long long)Now());
  pthread_mutex_unlock(&mutex);
}

static void AwaitPost(int thread) {
  const int64_t from = Now();
  sem_wait(&semaphore);
  TELL("post %d %lld %lld %lld", thread, (long long)from, (long long)posted, (long long)Now());
}

static void AwaitWord(int thread) {
  while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
    const int64_t from = Now();
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    TELL("word %d %lld %lld %lld", thread, (long long)from, (long long)woken, (long long)Now());
  }
}

static void Signal(void) {
  produce();
  pthread_mutex_lock(&mutex);
  ready = 1;
  signalled = Now();
  pthread_cond_signal(&condition);
  keep();
  pthread_mutex_unlock(&mutex);
}

static void Signal11(void) {
  produce();
  mtx_lock(&mutex11);
  ready11 = 1;
  signalled = Now();
  cnd_broadcast(&condition11);
  mtx_unlock(&mutex11);
}

static void Post(void) {
  fill();
  posted = Now();
  sem_post(&semaphore);
}

static void Wake(void) {
  alter();
  woken = Now();
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void* one(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  AwaitCondition(1);
  Meet(0, 1);
  AwaitCondition11(1);
  Meet(1, 1);
  GiveUp(1);
  Meet(2, 1);
  AwaitPost(1);
  Meet(3, 1);
  AwaitWord(1);
  Meet(4, 1);
  work(10000000);
  Meet(5, 1);
  return unused;
}

static void* two(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  Signal();
  Meet(0, 2);
  Signal11();
  Meet(1, 2);
  Meet(2, 2);
  Post();
  Meet(3, 2);
  Wake();
  Meet(4, 2);
  work(50000000);
  Meet(5, 2);
  return unused;
}

static void* three(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  Meet(0, 3);
  AwaitCondition11(3);
  Meet(1, 3);
  Meet(2, 3);
  Meet(3, 3);
  Meet(4, 3);
  work(30000000);
  Meet(5, 3);
  return unused;
}

static int waiting;
UNMEASURED static void NoteWaiting(void) { __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST); }

static void* for_condition(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&mutex);
  NoteWaiting();
  while (!ready) pthread_cond_wait(&condition, &mutex);
  return unused;
}
static void* for_post(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  NoteWaiting();
  sem_wait(&semaphore);
  return unused;
}
static void* for_others(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  NoteWaiting();
  pthread_barrier_wait(&barrier);
  return unused;
}

// The threads sleep only there.
UNMEASURED static void KillWhenAllSleep(void) {
  while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) < kThreads) usleep(1000);
  for (int sleeping = 0; sleeping < kThreads;) {
    sleeping = 0;
    usleep(5000);
    for (int task = 1; task <= 4096; ++task) {
      char name[64], state = 'R';
      snprintf(name, sizeof name, "/proc/self/task/%d/stat", getpid() + task);
      FILE* file = fopen(name, "r");
      if (file == NULL) continue;
      if (fscanf(file, "%*d %*s %c", &state) == 1 && state == 'S') ++sleeping;
      fclose(file);
    }
  }
  kill(getpid(), SIGKILL);
}

int main(int argc, char** argv) {
  void* (*const functions[kThreads])(void*) = {one, two, three};
  void* (*const stuck[kThreads])(void*) = {for_condition, for_post, for_others};
  pthread_t threads[kThreads];
  (void)argv;
  mtx_init(&mutex11, mtx_plain);
  cnd_init(&condition11);
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, NULL, kThreads);
  for (int i = 0; i < kThreads; ++i) {  // one after the other, so that EPIK gives them the same order
    pthread_create(&threads[i], NULL, argc > 1 ? stuck[i] : functions[i], NULL);
    while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) <= i) usleep(100);
  }
  if (argc > 1) KillWhenAllSleep();
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < lines; ++i) puts(told[i]);
  return 0;
}
