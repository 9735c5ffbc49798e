// SPDX-License-Identifier: BSD-3-Clause
// A team of THREADS threads, or LEVELS levels of teams of two: team THREADS | team LEVELS nested. Each thread calls
// `member` once; main tells how often that was.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long members;

__attribute__((noinline)) void member(void) { atomic_fetch_add(&members, 1); }

static void Nest(int levels) {
  if (levels == 0) return;
#pragma omp parallel num_threads(2)
  {
    member();
    if (omp_get_thread_num() == 0) Nest(levels - 1);
  }
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 2;
  omp_set_dynamic(0);
  if (argc > 2) {
    omp_set_max_active_levels(count);
    Nest(count);
  } else {
#pragma omp parallel num_threads(count)
    member();
  }
  printf("%ld\n", atomic_load(&members));
  return 0;
}
