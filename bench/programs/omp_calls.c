// SPDX-License-Identifier: BSD-3-Clause
// Does nothing within constructs of OpenMP, in one thread, which never waits: only their cost and that of measuring
// them is left. One thread makes and executes tasks, while the other thread of its team does neither.
//   omp_calls [ROUNDS [KIND]]
// The table in main has the kinds, and how many constructs a round of each has.
#include <omp.h>
#include <string.h>

#include "bench/programs/bench.h"

static __thread volatile uint64_t sink;
static omp_lock_t lock;

static BENCH_CALLED void Parallel(void) {
#pragma omp parallel num_threads(1)
  sink = 1;
}
static BENCH_CALLED void Loop(void) {
#pragma omp for schedule(dynamic, 1) nowait
  for (int i = 0; i < 1; ++i) sink = 1;
}
static BENCH_CALLED void StaticLoop(void) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < 1; ++i) sink = 1;
}
static BENCH_CALLED void Sections(void) {
#pragma omp sections nowait
  {
#pragma omp section
    sink = 1;
  }
}
static BENCH_CALLED void Single(void) {
#pragma omp single nowait
  sink = 1;
}
static BENCH_CALLED void Barrier(void) {
#pragma omp barrier
}
static BENCH_CALLED void Critical(void) {
#pragma omp critical(bench)
  sink = 1;
}
static BENCH_CALLED void Lock(void) {
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
}
static BENCH_CALLED void Wait(void) {
#pragma omp taskwait
}
static BENCH_CALLED void Group(void) {
#pragma omp taskgroup
  sink = 1;
}
static BENCH_CALLED void Tasks(void) {
  for (int i = 0; i < 60; ++i) {
#pragma omp task firstprivate(i)
    sink = (uint64_t)i;
  }
#pragma omp taskwait
}

static uint64_t TimeOf(void (*once)(void), uint64_t rounds) {
  for (int i = 0; i < 100; ++i) once();
  const uint64_t start = ThreadNs();
  for (uint64_t i = 0; i < rounds; ++i) once();
  return ThreadNs() - start;
}

// The thread that comes first works; a second one looks on.
static uint64_t InTeam(void (*once)(void), uint64_t rounds, int threads) {
  enum { kOver = 3 };
  uint64_t ns = 0;
  int came = 0;
#pragma omp parallel num_threads(threads) shared(ns, came)
  {
    if (__atomic_fetch_add(&came, 1, __ATOMIC_RELAXED) == 0) {
      ns = TimeOf(once, rounds);
      __atomic_store_n(&came, kOver, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&came, __ATOMIC_ACQUIRE) != kOver) {
    }
  }
  return ns;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*once)(void);
    unsigned calls;
    int threads;
  } kinds[] = {{"parallel", Parallel, 1, 0}, {"loop", Loop, 1, 1},     {"static", StaticLoop, 1, 1},
               {"sections", Sections, 1, 1}, {"single", Single, 1, 1}, {"barrier", Barrier, 1, 1},
               {"critical", Critical, 1, 1}, {"lock", Lock, 1, 1},     {"taskwait", Wait, 1, 1},
               {"taskgroup", Group, 1, 1},   {"task", Tasks, 60, 2}};
  const uint64_t rounds = Argument(argc, argv, 1, 1000000);
  omp_init_lock(&lock);
  for (unsigned kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind) {
    if (strcmp(argc > 2 ? argv[2] : "parallel", kinds[kind].name) != 0) continue;
    const int threads = kinds[kind].threads;
    const uint64_t ns = threads == 0 ? TimeOf(kinds[kind].once, rounds) : InTeam(kinds[kind].once, rounds, threads);
    Report(kinds[kind].name, "call", rounds * kinds[kind].calls, ns);
  }
  omp_destroy_lock(&lock);
  return 0;
}
