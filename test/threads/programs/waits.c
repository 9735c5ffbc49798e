// SPDX-License-Identifier: BSD-3-Clause
// One thread waits for another one in every way that libc has. "wait NAME COUNT SECONDS" lines tell the program's own
// times: a call counts if it has to wait for the other thread.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "epik/epik_user.h"

static const int kFree = 1000;  // calls that do not have to wait
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t mtx;
static cnd_t cnd;
static int ready;

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void Sleep(double seconds) {
  const struct timespec time = {0, (long)(1e9 * seconds)};
  nanosleep(&time, NULL);
}

static struct timespec InAMinute(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 60;
  return time;
}

static void Tell(const char* name, int count, double seconds) { printf("wait %s %d %.9f\n", name, count, seconds); }

#define TIMED(name, call)         \
  do {                            \
    const double begin = Now();   \
    if ((call) != 0) abort();     \
    Tell(name, 1, Now() - begin); \
  } while (0)

// The number of the next turn: the threads take turns, and no test sleeps and hopes.
static int turn;
static void Say(int value) { __atomic_store_n(&turn, value, __ATOMIC_SEQ_CST); }
static void Await(int value) {
  while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < value) Sleep(0.0002);
}

// Waits until the other thread, which has announced its wait, waits.
static long waiter_id;
static void AwaitAsleep(void) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%ld/stat", waiter_id);
  for (;; Sleep(0.0002)) {
    FILE* file = fopen(path, "r");
    if (file == NULL) return;
    const size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[bytes] = '\0';
    const char* state = strrchr(text, ')');
    if (state != NULL && state[2] == 'S') return;
  }
}

static void WaitForLocks(void) {
  const struct timespec until = InAMinute();
  Await(1);
  Say(2);
  TIMED("pthread_mutex_lock", pthread_mutex_lock(&mutex));
  pthread_mutex_unlock(&mutex);
  Say(3);
  Await(4);
  Say(5);
  TIMED("pthread_mutex_timedlock", pthread_mutex_timedlock(&mutex, &until));
  pthread_mutex_unlock(&mutex);
  Say(6);
  Await(7);
  Say(8);
  TIMED("pthread_rwlock_rdlock", pthread_rwlock_rdlock(&rwlock));
  pthread_rwlock_unlock(&rwlock);
  Say(9);
  Await(10);
  Say(11);
  TIMED("pthread_rwlock_wrlock", pthread_rwlock_wrlock(&rwlock));
  pthread_rwlock_unlock(&rwlock);
  Say(12);
  Await(13);
  Say(14);
  TIMED("pthread_spin_lock", pthread_spin_lock(&spin));
  pthread_spin_unlock(&spin);
  Say(15);
  Await(16);
  Say(17);
  TIMED("mtx_lock", mtx_lock(&mtx));
  mtx_unlock(&mtx);
  Say(18);
}

#define HOLD(number, take, give)                                        \
  do {                                                                  \
    if ((take) != 0) abort();                                           \
    Say(number);                                                        \
    Await((number) + 1);                                                \
    if ((number) != 13) AwaitAsleep(); /* a spin lock keeps it awake */ \
    Sleep(0.02);                                                        \
    give;                                                               \
    Await((number) + 2);                                                \
  } while (0)

static void HoldLocks(void) {
  HOLD(1, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex));
  HOLD(4, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex));
  HOLD(7, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock));
  HOLD(10, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock));
  HOLD(13, pthread_spin_lock(&spin), pthread_spin_unlock(&spin));
  HOLD(16, mtx_lock(&mtx), mtx_unlock(&mtx));
}

static void WaitForWords(void) {
  int count = 0;
  pthread_mutex_lock(&mutex);
  Say(20);
  double begin = Now();
  for (; ready < 1; ++count) pthread_cond_wait(&condition, &mutex);
  Tell("pthread_cond_wait", count, Now() - begin);
  const struct timespec until = InAMinute();
  count = 0;
  Say(21);
  begin = Now();
  for (; ready < 2; ++count) pthread_cond_timedwait(&condition, &mutex, &until);
  Tell("pthread_cond_timedwait", count, Now() - begin);
  pthread_mutex_unlock(&mutex);
  count = 0;
  mtx_lock(&mtx);
  Say(22);
  begin = Now();
  for (; ready < 3; ++count) cnd_wait(&cnd, &mtx);
  Tell("cnd_wait", count, Now() - begin);
  mtx_unlock(&mtx);
  Say(23);
  begin = Now();
  pthread_barrier_wait(&barrier);
  Tell("pthread_barrier_wait", 1, Now() - begin);
  Say(24);
  TIMED("sem_wait", sem_wait(&semaphore));
  const struct timespec later = InAMinute();
  Say(25);
  TIMED("sem_timedwait", sem_timedwait(&semaphore, &later));
}

// A waiting thread has given the mutex away.
static void GiveWords(void) {
  for (int word = 1; word <= 2; ++word) {
    Await(19 + word);
    AwaitAsleep();
    Sleep(0.02);
    pthread_mutex_lock(&mutex);
    ready = word;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  Await(22);
  AwaitAsleep();
  Sleep(0.02);
  mtx_lock(&mtx);
  ready = 3;
  cnd_signal(&cnd);
  mtx_unlock(&mtx);
  Await(23);
  Sleep(0.02);
  const double begin = Now();
  pthread_barrier_wait(&barrier);
  Tell("pthread_barrier_wait", 1, Now() - begin);
  for (int i = 0; i < 2; ++i) {
    Await(24 + i);
    AwaitAsleep();
    Sleep(0.02);
    sem_post(&semaphore);
  }
}

static void FreeCalls(void) {
  for (int i = 0; i < kFree; ++i) {
    if (pthread_mutex_lock(&mutex) != 0 || pthread_mutex_unlock(&mutex) != 0) abort();
    if (pthread_rwlock_rdlock(&rwlock) != 0 || pthread_rwlock_unlock(&rwlock) != 0) abort();
    if (pthread_rwlock_wrlock(&rwlock) != 0 || pthread_rwlock_unlock(&rwlock) != 0) abort();
    if (pthread_spin_lock(&spin) != 0 || pthread_spin_unlock(&spin) != 0) abort();
    errno = 77;
    if (sem_post(&semaphore) != 0 || sem_wait(&semaphore) != 0 || errno != 77) abort();
    if (mtx_lock(&mtx) != thrd_success || mtx_unlock(&mtx) != thrd_success) abort();
  }
  // Calls report the same errors as before.
  pthread_mutexattr_t checks;
  pthread_mutex_t checked;
  pthread_mutexattr_init(&checks);
  pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &checks);
  if (pthread_mutex_lock(&checked) != 0 || pthread_mutex_lock(&checked) != EDEADLK) abort();
  if (pthread_mutex_unlock(&checked) != 0 || pthread_mutex_unlock(&checked) != EPERM) abort();
  if (pthread_join(pthread_self(), NULL) != EDEADLK) abort();
  const struct timespec past = {0, 0};
  if (sem_timedwait(&semaphore, &past) != -1 || errno != ETIMEDOUT) abort();
  // libc refuses these whether they have to wait or not, and takes no lock.
  const struct timespec wrong = {0, 2000000000};
  pthread_rwlock_t free_lock = PTHREAD_RWLOCK_INITIALIZER;
  if (sem_post(&semaphore) != 0) abort();
  if (sem_timedwait(&semaphore, &wrong) != -1 || errno != EINVAL) abort();
  if (sem_trywait(&semaphore) != 0) abort();
  if (pthread_rwlock_timedrdlock(&free_lock, &wrong) != EINVAL) abort();
  if (pthread_rwlock_timedwrlock(&free_lock, &wrong) != EINVAL) abort();
  if (pthread_rwlock_trywrlock(&free_lock) != 0) abort();
  if (pthread_rwlock_unlock(&free_lock) != 0) abort();
  const struct timespec later = {2000000000, 0};
  if (pthread_rwlock_clockrdlock(&free_lock, CLOCK_PROCESS_CPUTIME_ID, &later) != EINVAL) abort();
  if (pthread_rwlock_clockwrlock(&free_lock, CLOCK_MONOTONIC, &wrong) != EINVAL) abort();
  if (pthread_rwlock_clockwrlock(&free_lock, CLOCK_MONOTONIC, &later) != 0) abort();
  pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
  if (pthread_mutex_clocklock(&free_mutex, CLOCK_PROCESS_CPUTIME_ID, &wrong) != EINVAL) abort();
  if (pthread_mutex_trylock(&free_mutex) != 0) abort();
}

static void* Waiter(void* unused) {
  waiter_id = syscall(SYS_gettid);
  EPIK_USER_REG(region, "waiter");
  EPIK_USER_START(region);
  WaitForLocks();
  WaitForWords();
  EPIK_USER_END(region);
  return unused;
}

static int Sleeper(void* unused) {
  (void)unused;
  Sleep(0.02);
  return 5;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  mtx_init(&mtx, mtx_plain);
  cnd_init(&cnd);
  EPIK_USER_REG(region, "leader");
  EPIK_USER_START(region);
  pthread_t waiter;
  if (pthread_create(&waiter, NULL, Waiter, NULL) != 0) abort();
  HoldLocks();
  GiveWords();
  TIMED("pthread_join", pthread_join(waiter, NULL));
  thrd_t sleeper;
  int five = 0;
  if (thrd_create(&sleeper, Sleeper, NULL) != thrd_success) abort();
  TIMED("thrd_join", thrd_join(sleeper, &five));
  if (five != 5) abort();
  EPIK_USER_END(region);
  EPIK_USER_REG(alone, "alone");
  EPIK_USER_START(alone);
  FreeCalls();
  EPIK_USER_END(alone);
  return 0;
}
