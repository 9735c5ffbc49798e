// SPDX-License-Identifier: BSD-3-Clause
// Constructs for which GCC makes no call, or one with another name: counted as in constructs.c.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 5, kSize = 60 };

static volatile double sink;
static void Work(int n) {
  for (int i = 0; i < n * 100; ++i) sink = sink + i;
}

static int Inline(void) {
  int sum = 0, masters = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < kSize; ++i) Work(1);  // an implicit barrier
#pragma omp for schedule(static, 3)
    for (int i = 0; i < kSize; ++i) Work(1);  // an implicit barrier
#pragma omp for schedule(auto) nowait
    for (int i = 0; i < kSize; ++i) Work(1);
#pragma omp loop bind(parallel)
    for (int i = 0; i < kSize; ++i) Work(1);  // an implicit barrier
#pragma omp master
    ++masters;
#pragma omp masked
    ++masters;
#pragma omp simd
    for (int i = 0; i < 8; ++i) sink = sink + i;
#pragma omp atomic
    ++sum;
#pragma omp scope
    Work(1);  // an implicit barrier
    Work(1);
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < kSize; ++i) Work(1);
  return sum + masters;
}

static int Conditional(void) {
  int last = -1;
#pragma omp parallel for schedule(dynamic) lastprivate(conditional : last)
  for (int i = 0; i < kSize; ++i) {
    if (i % 7 == 3) last = i;
  }
  return last;
}

static int Depends(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    a = 1;
#pragma omp task depend(out : b)
    b = 1;
#pragma omp taskwait depend(in : a)
    a += 1;
#pragma omp taskwait
  }
  return a + b;
}

static int TargetTeams(void) {
  int teams = 0;
#pragma omp target teams map(tofrom : teams) num_teams(1) thread_limit(1)
  teams += 1;
  return teams;
}

int main(void) {
  const int threads = omp_get_max_threads();
  for (int i = 0; i < kRounds; ++i) {
    if (Inline() != threads + 2 || Conditional() != 59 || Depends() != 3 || TargetTeams() != 1) abort();
  }
  printf("count parallel %d\n", 4 * threads * kRounds);
  printf("count barrier 0\n");
  printf("count implicit barrier %d\n", (4 + 4 + 1) * threads * kRounds);  // of Inline, of the regions, of the single
  printf("count for dynamic %d\n", threads * kRounds);
  printf("count task %d\ncount task create %d\n", 2 * kRounds, 2 * kRounds);
  printf("count taskwait %d\n", 2 * kRounds);
  printf("count single %d\n", kRounds);
  printf("count target %d\n", kRounds);
  printf("count atomic %d\n", threads * kRounds);  // of the conditional one: each thread, once
  printf("count for static 0\ncount critical 0\ncount sections 0\n");
  return 0;
}
