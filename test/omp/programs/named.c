// SPDX-License-Identifier: BSD-3-Clause
// Critical sections with names and without one, next to each other, for 2 threads.
static volatile int sum;

int main(void) {
#pragma omp parallel
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp critical(first)
      sum += 1;
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp critical(second)
      sum += 2;
    }
#pragma omp critical
    sum += 3;
  }
  return 0;
}
