/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP: loops with different work, a critical section, tasks. */
#include <stdio.h>

static volatile double sink;

static void Work(int n) {
  double sum = 0;
  for (int i = 0; i < 100 * n; ++i) sum += i;
#pragma omp critical(adding)
  sink += sum;
}

int main(void) {
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 16; ++i) Work(i);
#pragma omp single
      for (int i = 0; i < 4; ++i) {
#pragma omp task
        Work(i);
      }
    }
  }
  return 0;
}
