// SPDX-License-Identifier: BSD-3-Clause
// A recursive tree of calls, some thirty deep.     fib [N]
#include "bench/programs/bench.h"

static BENCH_CALLED uint64_t Fib(unsigned n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

int main(int argc, char** argv) {
  unsigned n = (unsigned)Argument(argc, argv, 1, 34);
  BENCH_OPAQUE(n);
  const uint64_t start = ThreadNs();
  const uint64_t result = Fib(n);
  const uint64_t spent = ThreadNs() - start;
  uint64_t low = 0, high = 1;  // Fib(i), Fib(i + 1)
  for (unsigned i = 0; i < n; ++i) {
    const uint64_t next = low + high;
    low = high;
    high = next;
  }
  const uint64_t calls = 2 * high - 1;
  Report("fib", "call", calls, spent);
  return result == low ? 0 : 1;
}
