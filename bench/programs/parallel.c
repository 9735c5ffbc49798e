// SPDX-License-Identifier: BSD-3-Clause
// An empty parallel loop: what a fork, a join and a barrier take.     parallel [LOOPS]
//
// Wall time, because the threads wait for each other; of the quickest of many short blocks, because on a busy machine
// most blocks measure the machine.
#include "bench/programs/bench.h"

enum { kBlock = 200 };

static volatile int sink;

static BENCH_CALLED void Loop(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 2; ++i) sink = i;
}

int main(int argc, char** argv) {
  const uint64_t loops = Argument(argc, argv, 1, 200000);
  uint64_t least = UINT64_MAX;
  for (uint64_t done = 0; done < loops; done += kBlock) {
    const uint64_t start = ClockNs(CLOCK_MONOTONIC);
    for (int i = 0; i < kBlock; ++i) Loop();
    const uint64_t spent = ClockNs(CLOCK_MONOTONIC) - start;
    if (spent < least) least = spent;
  }
  Report("parallel", "loop", kBlock, least);
  return 0;
}
