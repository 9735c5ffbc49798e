// SPDX-License-Identifier: BSD-3-Clause
// Calls that only GCC emits or has emitted long ago; counted as in constructs.c.
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void GOMP_parallel_start(void (*body)(void*), void* data, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*body)(void*), void* data, unsigned threads, long start, long end,
                                      long step, long chunk);
bool GOMP_loop_dynamic_next(long* first, long* last);
void GOMP_loop_end_nowait(void);

enum { kRounds = 5 };

// Long enough for a check of its time.
static volatile double sink;
static void Work(void) {
  for (int i = 0; i < 200000; ++i) sink = sink + i;
}

static int visits;
static void Body(void* data) {
  Work();
  __atomic_fetch_add((int*)data, 1, __ATOMIC_SEQ_CST);
}

static void LoopBody(void* data) {
  long first, last;
  Work();
  while (GOMP_loop_dynamic_next(&first, &last)) __atomic_fetch_add((int*)data, (int)(last - first), __ATOMIC_SEQ_CST);
  GOMP_loop_end_nowait();
}

static void Old(void) {
  GOMP_parallel_start(Body, &visits, 0);
  Body(&visits);
  GOMP_parallel_end();
  int iterations = 0;
  GOMP_parallel_loop_dynamic_start(LoopBody, &iterations, 0, 0, 30, 1, 4);
  LoopBody(&iterations);
  GOMP_parallel_end();
  if (iterations != 30) abort();
}

static long double Atomic(int n) {
  long double sum = 0;
#pragma omp parallel
  for (int i = 0; i < n; ++i) {
    if (i == 0) Work();
#pragma omp atomic
    sum += 1;
  }
  return sum;
}

static long Reduction(void) {
  long sum = 0;
#pragma omp parallel
  {
    Work();
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
  return sum;
}

static int League(void) {
  int teams = 0;
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(1)
  {
    Work();
#pragma omp atomic
    ++teams;
  }
  return teams;
}

static int Target(void) {
  int x = 1;
#pragma omp target enter data map(to : x)
#pragma omp target data map(tofrom : x)
  {
#pragma omp target map(tofrom : x)
    x += 1;
#pragma omp target update from(x)
  }
#pragma omp target exit data map(from : x)
  return x;
}

static int Detached(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
    {
      Work();
#pragma omp atomic
      ++done;
      omp_fulfill_event(event);
    }
  }
  return done;
}

int main(void) {
  const int threads = omp_get_max_threads();
  int leagues = 0;  // one region for each team
  for (int i = 0; i < kRounds; ++i) {
    Old();
    if (Atomic(10) != 10 * threads || Reduction() != 45 || (leagues += League()) < 1 || Target() != 2 ||
        Detached() != 10)
      abort();
  }
  if (visits != threads * kRounds) abort();
  printf("count parallel %d\n", 5 * threads * kRounds + leagues);
  printf("count for dynamic %d\n", threads * kRounds);
  printf("count for static %d\n", threads * kRounds);
  printf("count reduction %d\n", threads * kRounds);
  printf("count atomic %d\n", 10 * threads * kRounds);
  printf("count teams %d\n", kRounds);
  printf("count target %d\n", 6 * kRounds);  // `target data` has two ends
  printf("count single %d\n", kRounds);
  printf("count task %d\n", 20 * kRounds);
  printf("count task create %d\n", 20 * kRounds);
  return 0;
}
