// SPDX-License-Identifier: BSD-3-Clause
// Chains of calls one to a thousand deep.     deep [ROUNDS]
#include "bench/programs/bench.h"

enum { kDeepest = 1000 };

static BENCH_CALLED unsigned Chain(unsigned left) {
  unsigned below = left > 1 ? Chain(left - 1) : 0;
  BENCH_OPAQUE(below);  // work is left after the call: it is no tail call
  return below + 1;
}

int main(int argc, char** argv) {
  const uint64_t rounds = Argument(argc, argv, 1, 20);
  uint64_t calls = 0;
  const uint64_t start = ThreadNs();
  for (uint64_t round = 0; round < rounds; ++round) {
    for (unsigned depth = 1; depth <= kDeepest; ++depth) calls += Chain(depth);
  }
  Report("deep", "call", calls, ThreadNs() - start);
  return calls == rounds * kDeepest * (kDeepest + 1) / 2 ? 0 : 1;
}
