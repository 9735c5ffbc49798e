// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of OpenMP's constructs.     omp region|chunk|task [COUNT]
//
//   region   a parallel loop of two threads that do nothing: fork, join and barrier
//   chunk    of a dynamic loop, on one thread
//   task     made, kept in the queue and done by the same thread; the other one of its team is busy elsewhere
//
// It measures wall time, because threads wait for each other, and takes the fastest of many short blocks, because on a
// busy machine most blocks measure the machine. With -DFLOOR the program itself reads the clock at both ends of a
// chunk.
#include <stdbool.h>
#include <string.h>

#include "bench/programs/bench.h"

#ifdef FLOOR
#include "bench/floors/ticks.h"
static __thread volatile uint64_t last_ticks;
#define READ_CLOCK() (last_ticks = ReadTicks())
#else
#define READ_CLOCK() ((void)0)
#endif

enum { kRegions = 200, kChunks = 1000, kTasks = 60 };

static __thread volatile uint64_t sink;

static BENCH_CALLED void Regions(void) {
  for (int i = 0; i < kRegions; ++i) {
#pragma omp parallel for schedule(static) num_threads(2)
    for (int j = 0; j < 2; ++j) sink = (uint64_t)j;
  }
}

static BENCH_CALLED void Chunks(void) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(1)
  for (int i = 0; i < kChunks; ++i) {
    READ_CLOCK();
    sink = (uint64_t)i;
    READ_CLOCK();
  }
}

static BENCH_CALLED void Tasks(void) {
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)
    sink = (uint64_t)i;
  }
#pragma omp taskwait
}

static uint64_t BlockOf(const char* what) {
  const uint64_t start = ClockNs(CLOCK_MONOTONIC);
  if (strcmp(what, "region") == 0) Regions();
  if (strcmp(what, "chunk") == 0) Chunks();
  if (strcmp(what, "task") == 0) Tasks();
  return ClockNs(CLOCK_MONOTONIC) - start;
}

static uint64_t LeastOf(const char* what, uint64_t blocks) {
  uint64_t least = UINT64_MAX;
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t spent = BlockOf(what);
    if (spent < least) least = spent;
  }
  return least;
}

// The thread that comes first makes the tasks; the other one neither works nor waits.
static uint64_t LeastOfTasks(uint64_t blocks) {
  enum { kOver = 3 };
  uint64_t least = 0;
  int came = 0;
#pragma omp parallel num_threads(2) shared(least, came)
  {
    int first = 0;
#pragma omp critical
    first = came++ == 0;
    if (first) {
      least = LeastOf("task", blocks);
      __atomic_store_n(&came, kOver, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&came, __ATOMIC_ACQUIRE) != kOver) {
    }
  }
  return least;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "region";
  const bool tasks = strcmp(what, "task") == 0;
  const uint64_t block = tasks ? kTasks : strcmp(what, "chunk") == 0 ? kChunks : kRegions;
  const uint64_t blocks = Argument(argc, argv, 2, 200000) / block;
  Report(what, what, block, tasks ? LeastOfTasks(blocks) : LeastOf(what, blocks));
  return 0;
}
