// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for the end of others: main for two of POSIX, the second of which waits for one of its own, and for
// one of C11. "wait WAITER WHOM FROM TO END" lines, in nanoseconds, tell the program's own times: when the join began
// and ended, and when the thread that it waited for had done its work. Threads are counted as they begin. With an
// argument, the first one kills the program as soon as main waits for it.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "spend.h"

enum { kThreads = 5 };
static int64_t ended[kThreads];
static int begun;
static int joins;  // main is about to

__attribute__((noinline)) static void prepare(void) { Spend(30000000); }
__attribute__((noinline)) static void first_work(void) { Spend(80000000); }
__attribute__((noinline)) static void second_work(void) { Spend(40000000); }
__attribute__((noinline)) static void inner_work(void) { Spend(90000000); }
__attribute__((noinline)) static void last_work(void) { Spend(50000000); }

UNMEASURED static int Begin(void) { return __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST); }
UNMEASURED static void AwaitBegin(int number) {
  while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < number) usleep(100);
}
UNMEASURED static void Told(int waiter, int whom, int64_t from) {
  const int64_t to = Now();
  printf("wait %d %d %lld %lld %lld\n", waiter, whom, (long long)from, (long long)to, (long long)ended[whom]);
}

// Main's state is that of the process: S when it sleeps.
UNMEASURED static void KillWhenMainSleeps(void) {
  char state = 'R';
  while (!__atomic_load_n(&joins, __ATOMIC_SEQ_CST) || state != 'S') {
    usleep(1000);
    FILE* file = fopen("/proc/self/stat", "r");
    if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1) return;
    fclose(file);
  }
  kill(getpid(), SIGKILL);
}

static void* inner(void* unused) {
  Begin();
  inner_work();
  ended[3] = Now();
  return unused;
}

static void* first(void* kills) {
  Begin();
  if (kills != NULL) KillWhenMainSleeps();
  first_work();
  ended[1] = Now();
  return NULL;
}

static void* second(void* unused) {
  pthread_t mine;
  Begin();
  second_work();
  pthread_create(&mine, NULL, inner, NULL);
  AwaitBegin(3);
  const int64_t from = Now();
  pthread_join(mine, NULL);
  Told(2, 3, from);
  ended[2] = Now();
  return unused;
}

static int last(void* unused) {
  (void)unused;
  Begin();
  last_work();
  ended[4] = Now();
  return 7;
}

int main(int argc, char** argv) {
  pthread_t threads[2];
  thrd_t other;
  int result;
  prepare();
  pthread_create(&threads[0], NULL, first, argc > 1 ? argv : NULL);
  AwaitBegin(1);
  pthread_create(&threads[1], NULL, second, NULL);
  AwaitBegin(2);
  const struct timespec past = {0, 0};
  if (pthread_timedjoin_np(threads[0], NULL, &past) == 0) return 1;  // it gives up
  int64_t from = Now();
  __atomic_store_n(&joins, 1, __ATOMIC_SEQ_CST);
  pthread_join(threads[0], NULL);
  Told(0, 1, from);
  from = Now();
  pthread_join(threads[1], NULL);
  Told(0, 2, from);
  thrd_create(&other, last, NULL);
  from = Now();
  thrd_join(other, &result);
  Told(0, 4, from);
  return result == 7 ? 0 : 1;
}
