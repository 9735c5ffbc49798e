// SPDX-License-Identifier: BSD-3-Clause
// Calls one function in a loop: the cheapest kind of call.     leaf [CALLS]
#include "bench/programs/bench.h"

static BENCH_CALLED unsigned Leaf(unsigned x) {
  BENCH_OPAQUE(x);
  return x + 1;
}

int main(int argc, char** argv) {
  const uint64_t calls = Argument(argc, argv, 1, 20000000);
  unsigned x = 0;
  const uint64_t start = ThreadNs();
  for (uint64_t i = 0; i < calls; ++i) x = Leaf(x);
  Report("leaf", "call", calls, ThreadNs() - start);
  return x == (unsigned)calls ? 0 : 1;
}
