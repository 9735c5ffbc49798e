/* SPDX-License-Identifier: BSD-3-Clause
   DOACROSS loops: each iteration does its own part, then waits for the one before it. In each round, the first one is
   slow. With one loop, and with two nested ones. The argument is the milliseconds of a slow iteration. */
#include <stdlib.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))
#define SMALL __attribute__((noinline))
enum { kRounds = 4, kIterations = 12, kOuter = 4, kInner = 3 };
static double shared;

OUT static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
OUT static void spin(double seconds) {
  const double end = now() + seconds;
  while (now() < end) continue;
}

SMALL void slow(double seconds) { spin(seconds); }
SMALL void quick(int i) { spin(1e-5 * (i % 3)); }

static void one(double seconds) {
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 0; i < kIterations; ++i) {
    quick(i);
    if (i == 0) slow(seconds);
#pragma omp ordered depend(sink : i - 1)
    shared += i;
#pragma omp ordered depend(source)
  }
}

static void two(void) {
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 0; i < kOuter; ++i) {
    for (int j = 0; j < kInner; ++j) {
      quick(i + j);
#pragma omp ordered depend(sink : i - 1, j)
      quick(j);
#pragma omp ordered depend(source)
    }
  }
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? 1e-3 * atof(argv[1]) : 0;
  for (int r = 0; r < kRounds; ++r) one(seconds);
  for (int r = 0; r < kRounds; ++r) two();
  return 0;
}
