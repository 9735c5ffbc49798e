// SPDX-License-Identifier: BSD-3-Clause
// Two threads with tasks of known lengths. The thread that creates them waits for them at a taskwait or recursively, or
// other tasks need them.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNMEASURED __attribute__((no_instrument_function))
#define APART __attribute__((noinline))

// Sleeps, so that it takes the same time on a busy machine.
static UNMEASURED void busy(double seconds) {
  struct timespec t = {0, (long)(seconds * 1e9)};
  while (nanosleep(&t, &t) != 0) continue;
}
APART void work(double seconds) { busy(seconds); }
APART void other(double seconds) { busy(seconds); }

static void rounds(void) {
  for (int i = 0; i < 12; ++i) {
    other(0.001);
    for (int k = 0; k < 6; ++k) {
#pragma omp task
      work(0.004);
    }
#pragma omp taskwait
  }
}

static void below(int depth) {
  if (depth == 0) return work(0.003);
#pragma omp task
  below(depth - 1);
#pragma omp task
  below(depth - 1);
#pragma omp taskwait
}

static void chain(void) {
  double x = 0;
  for (int i = 0; i < 12; ++i) {
#pragma omp task depend(out : x)
    work(0.008);
#pragma omp task depend(in : x)
    other(0.002);
#pragma omp task depend(in : x)
    other(0.002);
#pragma omp task depend(inout : x)
    other(0.001);
  }
#pragma omp taskwait
}

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "rounds";
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    if (strcmp(which, "rounds") == 0) rounds();
    if (strcmp(which, "below") == 0) below(6);
    if (strcmp(which, "chain") == 0) chain();
  }
  return 0;
}
