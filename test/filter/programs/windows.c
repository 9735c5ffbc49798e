// SPDX-License-Identifier: BSD-3-Clause
// Steps of a computation. Each calls different functions, a different number of times. windows
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "epik/epik.h"

#define APART __attribute__((noinline))

static volatile int sink;
static __thread jmp_buf landing;
EPIK_USER_REG(marked, "marked");

APART void leaf(int i) { sink += i; }
APART void within(int n) {
  for (int i = 0; i < n; ++i) leaf(i);
}

// Calls itself: visits within others do not count.
APART void step(int n, int again) {
  EPIK_USER_START(marked);
  within(n);
  EPIK_USER_END(marked);
  if (again > 0) step(n + 1, again - 1);
}
APART void other(int n) {
  within(n);
  if (n % 3 == 0) step(2, 0);
}
APART void jumps(int n) {
  leaf(n);
  longjmp(landing, 1);
}
APART void catches(int n) {
  if (setjmp(landing) == 0) jumps(n);
  leaf(-n);
}
APART void* work(void* arg) {
  step(*(int*)arg, 1);
  other(3);
  step(1, 0);
  return NULL;
}
APART void threaded(int n) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, &n);
  pthread_join(thread, NULL);
}
APART void loop(int n) {
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) leaf(i);
#pragma omp barrier
  }
#else
  leaf(n);
#endif
}
APART void round_of(int i) {
  other(i);
  step(i, i % 3);
  catches(i);
  loop(4);
}

// Three phases by the clock.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
APART void first(void) { sink += 1; }
APART void second(void) { sink += 2; }
APART void third(void) { sink += 3; }

static void by_the_clock(double phase) {
  const double start = now();
  while (now() < start + phase) first();
  while (now() < start + 2 * phase) second();
  while (now() < start + 3 * phase) third();
}

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "clock") == 0) {
    by_the_clock(atof(argv[2]));
    return 0;
  }
  for (int i = 1; i <= 10; ++i) round_of(i);
  for (int i = 1; i <= 3; ++i) threaded(i);
  if (argc > 1 && strcmp(argv[1], "exit") == 0) {
    EPIK_USER_START(marked);
    exit(0);
  }
  printf("done\n");
  return 0;
}
