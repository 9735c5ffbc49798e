// SPDX-License-Identifier: BSD-3-Clause
// Three hundred functions under one parent, in random order: no tool can guess the next child.     wide [CALLS]
#include "bench/programs/bench.h"
#include "bench/programs/functions.h"

enum { kOrder = 1 << 14 };

#define DEFINE(n)                                 \
  static BENCH_CALLED unsigned F##n(unsigned x) { \
    BENCH_OPAQUE(x);                              \
    return x + 1;                                 \
  }
ALL_FUNCTIONS(DEFINE)

#define NAME(n) F##n,
static unsigned (*const functions[kFunctions])(unsigned) = {ALL_FUNCTIONS(NAME)};
static uint16_t order[kOrder];

int main(int argc, char** argv) {
  const uint64_t calls = Argument(argc, argv, 1, 10000000);
  uint32_t seed = 20061;
  for (int i = 0; i < kOrder; ++i) order[i] = (uint16_t)(Random(&seed) % kFunctions);
  unsigned x = 0;
  const uint64_t start = ThreadNs();
  for (uint64_t i = 0; i < calls; ++i) x = functions[order[i % kOrder]](x);
  Report("wide", "call", calls, ThreadNs() - start);
  return x == (unsigned)calls ? 0 : 1;
}
