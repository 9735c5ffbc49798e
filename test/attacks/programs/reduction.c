// SPDX-License-Identifier: BSD-3-Clause
// Reductions that tasks take part in: gcc's libgomp looks for them through the data of the region.
#include <stdio.h>

static long add(int from, int to) {
  long sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(4)
#pragma omp single
  for (int i = from; i < to; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  return sum;
}

static long add_in_loop(int to) {
  long sum = 0;
#pragma omp parallel for reduction(task, + : sum) num_threads(4)
  for (int i = 0; i < to; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  return sum;
}

int main(void) {
  printf("%ld %ld\n", add(0, 1000), add_in_loop(1000));
  return 0;
}
