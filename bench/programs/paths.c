// SPDX-License-Identifier: BSD-3-Clause
// Three levels of functions, up to 300 callees under each parent: 2 + 2 * 300 + 2 * 300 * 300 = 180 602 call paths
// below main, entered in random order, some five million calls.     paths [WALKS [CALLEES]]
//
// One walk is 1 call of the top level, 4 below it and 4 below each of these: 21 calls.
#include "bench/programs/bench.h"
#include "bench/programs/functions.h"

enum { kTops = 2, kBelow = 4, kCallsPerWalk = 1 + kBelow + kBelow * kBelow };

static uint32_t seed = 20061;
static uint32_t callees = kFunctions;

#define DEFINE_LOW(n)                               \
  static BENCH_CALLED unsigned Low##n(unsigned x) { \
    BENCH_OPAQUE(x);                                \
    return x + 1;                                   \
  }
ALL_FUNCTIONS(DEFINE_LOW)
#define LOW(n) Low##n,
static unsigned (*const low[kFunctions])(unsigned) = {ALL_FUNCTIONS(LOW)};

BENCH_HELPER unsigned Below(unsigned (*const* table)(unsigned), unsigned x) {
  for (int i = 0; i < kBelow; ++i) x = table[((uint64_t)Random(&seed) * callees) >> 32](x);
  return x + 1;
}

#define DEFINE_MIDDLE(n) \
  static BENCH_CALLED unsigned Middle##n(unsigned x) { return Below(low, x); }
ALL_FUNCTIONS(DEFINE_MIDDLE)
#define MIDDLE(n) Middle##n,
static unsigned (*const middle[kFunctions])(unsigned) = {ALL_FUNCTIONS(MIDDLE)};

static BENCH_CALLED unsigned TopLeft(unsigned x) { return Below(middle, x); }
static BENCH_CALLED unsigned TopRight(unsigned x) { return Below(middle, x) + 0; }
static unsigned (*const top[kTops])(unsigned) = {TopLeft, TopRight};

int main(int argc, char** argv) {
  const uint64_t walks = Argument(argc, argv, 1, 240000);
  callees = (uint32_t)Argument(argc, argv, 2, kFunctions);
  if (callees == 0 || callees > kFunctions) {
    fprintf(stderr, "usage: paths [WALKS [CALLEES]]   with at most %d callees\n", kFunctions);
    return 2;
  }
  unsigned x = 0;
  const uint64_t start = ThreadNs();
  for (uint64_t i = 0; i < walks; ++i) x = top[Random(&seed) >> 31](x);
  Report("paths", "call", walks * kCallsPerWalk, ThreadNs() - start);
  return x == (unsigned)(walks * kCallsPerWalk) ? 0 : 1;
}
