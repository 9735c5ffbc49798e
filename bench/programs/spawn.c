// SPDX-License-Identifier: BSD-3-Clause
// Starts many short threads that call a few functions: the cost of a thread's birth and end.     spawn [THREADS]
#include <pthread.h>

#include "bench/programs/bench.h"

static BENCH_CALLED unsigned Inner(unsigned x) {
  BENCH_OPAQUE(x);
  return x + 1;
}

static BENCH_CALLED unsigned Outer(unsigned x) { return Inner(Inner(x)) + 1; }

static void* Work(void* argument) {
  *(unsigned*)argument = Outer(*(unsigned*)argument);
  return NULL;
}

int main(int argc, char** argv) {
  const uint64_t threads = Argument(argc, argv, 1, 10000);
  unsigned x = 0;
  const uint64_t start = ClockNs(CLOCK_PROCESS_CPUTIME_ID);
  for (uint64_t i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, Work, &x) != 0) return 2;
    pthread_join(thread, NULL);
  }
  Report("spawn", "thread", threads, ClockNs(CLOCK_PROCESS_CPUTIME_ID) - start);
  return x == (unsigned)(3 * threads) ? 0 : 1;
}
