// SPDX-License-Identifier: BSD-3-Clause
// Calls a function that computes a chain of steps: a processor has units to spare meanwhile.     work [CALLS] [STEPS]
#include "bench/programs/bench.h"

static BENCH_CALLED unsigned Work(unsigned x, uint64_t steps) {
  for (uint64_t i = 0; i < steps; ++i) {
    x = x * 1664525u + 1013904223u;
    BENCH_OPAQUE(x);
  }
  return x;
}

int main(int argc, char** argv) {
  const uint64_t calls = Argument(argc, argv, 1, 5000000), steps = Argument(argc, argv, 2, 50);
  unsigned x = 1;
  const uint64_t start = ThreadNs();
  for (uint64_t i = 0; i < calls; ++i) x = Work(x, steps);
  Report("work", "call", calls, ThreadNs() - start);
  BENCH_OPAQUE(x);
  return 0;
}
