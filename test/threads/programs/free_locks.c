// SPDX-License-Identifier: BSD-3-Clause
// Free locks of every kind: "free FUNCTION COUNT" lines tell how many each function takes. Ends with status 0 if every
// call does what POSIX says.
//
// With an argument: "ticks N", the least that a lock and its release took, of many rounds.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "epik/epik_user.h"

#define CHECK(what) ((what) ? (void)0 : Fail(#what, __LINE__))

static void Fail(const char* what, int line) {
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  exit(1);
}

EPIK_USER_REG(lock_plain_region, "LockPlain");
EPIK_USER_REG(lock_kinds_region, "LockKinds");
EPIK_USER_REG(lock_others_region, "LockOthers");
EPIK_USER_REG(lock_for_condition_region, "LockForCondition");
EPIK_USER_REG(thread_region, "Thread");
EPIK_USER_REG(least_time_region, "LeastTime");
EPIK_USER_REG(main_region, "main");

static const struct timespec kLong = {4000000000, 0};
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t Mutex(int type, int protocol, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  CHECK(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
  CHECK(pthread_mutexattr_setrobust(&attributes, robust) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  return mutex;
}

static void LockPlain(int times) {
  EPIK_USER_START(lock_plain_region);
  for (int i = 0; i < times; ++i) {
    CHECK(pthread_mutex_lock(&plain) == 0);
    CHECK(pthread_mutex_trylock(&plain) == EBUSY);
    CHECK(pthread_mutex_unlock(&plain) == 0);
  }
  EPIK_USER_END(lock_plain_region);
}

// 5 of which find the lock free.
static void LockKinds(void) {
  EPIK_USER_START(lock_kinds_region);
  pthread_mutex_t recursive = Mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  CHECK(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
  CHECK(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
  CHECK(pthread_mutex_unlock(&recursive) == EPERM);
  pthread_mutex_t checked = Mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  CHECK(pthread_mutex_lock(&checked) == 0);
  CHECK(pthread_mutex_lock(&checked) == EDEADLK);
  CHECK(pthread_mutex_unlock(&checked) == 0);
  pthread_mutex_t inherits = Mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  CHECK(pthread_mutex_lock(&inherits) == 0 && pthread_mutex_unlock(&inherits) == 0);
  pthread_mutex_t robust = Mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
  CHECK(pthread_mutex_lock(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
  EPIK_USER_END(lock_kinds_region);
}

// 8 calls.
static void LockOthers(void) {
  EPIK_USER_START(lock_others_region);
  static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
  CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  CHECK(pthread_spin_lock(&spin) == 0 && pthread_spin_unlock(&spin) == 0);
  mtx_t mutex;
  CHECK(mtx_init(&mutex, mtx_plain) == thrd_success);
  CHECK(mtx_lock(&mutex) == thrd_success && mtx_unlock(&mutex) == thrd_success);
  CHECK(pthread_mutex_timedlock(&plain, &kLong) == 0 && pthread_mutex_unlock(&plain) == 0);
  sem_t semaphore;
  sem_init(&semaphore, 0, 2);
  CHECK(sem_wait(&semaphore) == 0 && sem_timedwait(&semaphore, &kLong) == 0);
  EPIK_USER_END(lock_others_region);
}

// A condition gives the mutex back and takes it again: once free, as seen from here.
static void LockForCondition(void) {
  EPIK_USER_START(lock_for_condition_region);
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  const struct timespec past = {1, 0};
  CHECK(pthread_mutex_lock(&plain) == 0);
  CHECK(pthread_cond_timedwait(&condition, &plain, &past) == ETIMEDOUT);
  CHECK(pthread_mutex_trylock(&plain) == EBUSY);
  CHECK(pthread_mutex_unlock(&plain) == 0);
  EPIK_USER_END(lock_for_condition_region);
}

static void* Thread(void* times) {
  EPIK_USER_START(thread_region);
  LockPlain(*(int*)times);
  LockKinds();
  LockOthers();
  LockForCondition();
  EPIK_USER_END(thread_region);
  return NULL;
}

static void InThread(int times) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, Thread, &times) == 0 && pthread_join(thread, NULL) == 0);
}

static void InChild(void) {
  const pid_t child = fork();
  if (child == 0) {
    LockPlain(3);
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

// Processor time of a lock and its release, in ticks of 1/1000 ns.
static double LeastTime(void) {
  enum { kRounds = 400, kTimes = 20000 };
  double least = 1e30;
  EPIK_USER_START(least_time_region);
  for (int round = 0; round < kRounds; ++round) {
    struct timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    for (int i = 0; i < kTimes; ++i) {
      pthread_mutex_lock(&plain);
      pthread_mutex_unlock(&plain);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    const double ns = 1e9 * (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec);
    if (ns / kTimes < least) least = ns / kTimes;
  }
  EPIK_USER_END(least_time_region);
  return least;
}

int main(int argc, char** argv) {
  EPIK_USER_START(main_region);
  const int alone = argc < 2 ? 7 : 0;
  LockPlain(alone);
  if (argc < 2) {
    LockKinds();
    LockOthers();
    LockForCondition();
    InThread(500);
    InChild();
    LockPlain(20);
    printf("free LockPlain %d\nfree LockKinds 10\nfree LockOthers 16\nfree LockForCondition 2\n", alone + 500 + 20);
  } else {
    InThread(1);
    printf("ns %.3f\n", LeastTime());
  }
  EPIK_USER_END(main_region);
  return strcmp(argv[0], "") == 0;
}
