/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool of OpenMP threads that calls functions for some seconds.     pool SECONDS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

__attribute__((no_instrument_function)) static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) void Leaf(int n) {
  for (int i = 0; i < 2000 + n; ++i) sink += i;
}

__attribute__((noinline)) void Work(int n) {
  Leaf(n);
#pragma omp critical
  Leaf(2 * n);
}

__attribute__((noinline)) void Round(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; ++i) Work(i);
#pragma omp single
    for (int i = 0; i < 3; ++i) {
#pragma omp task
      Work(i);
    }
  }
}

int main(int argc, char** argv) {
  const double end = Now() + (argc > 1 ? atof(argv[1]) : 1);
  long rounds = 0;
  for (; Now() < end; ++rounds) Round();
  printf("%ld rounds\n", rounds);
  return 0;
}
