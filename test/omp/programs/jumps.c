// SPDX-License-Identifier: BSD-3-Clause
// Regions that end with a barrier: an optimised function jumps there and does not call it.
#include <omp.h>
#include <stdio.h>

static volatile double sink;

static void Work(int n) {
  for (int i = 0; i < n; ++i) sink += i;
}

int main(void) {
#pragma omp parallel  // here: implicit barrier, parallel
  {
    Work(10);
#pragma omp barrier  // here: barrier
    Work(20);
#pragma omp barrier  // here: barrier
  }
#pragma omp parallel  // here: implicit barrier, parallel
  {
    Work(10);
#pragma omp barrier  // here: barrier
  }
#pragma omp parallel  // here: implicit barrier, parallel
  {
    // Optimised code calls the barrier in one branch, and jumps there in the other one, which has nothing more to do.
    if (omp_get_thread_num() == 1 && sink > 0) Work(10);
#pragma omp barrier  // here: barrier
    if (omp_get_thread_num() == 0) Work(20);
  }
  printf("%d\n", sink > 0);
  return 0;
}
