// SPDX-License-Identifier: BSD-3-Clause
// Constructs of OpenMP.
#include <stdio.h>

static double x[1000];

void work(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 100)
    for (int i = 0; i < 1000; ++i) x[i] += i;
#pragma omp critical
    x[1] += 1;
#pragma omp barrier
#pragma omp critical
    x[2] += 1;
  }
}

int main(void) {
  work();
  printf("%g\n", x[999]);
  return 0;
}
