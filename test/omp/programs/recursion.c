// SPDX-License-Identifier: BSD-3-Clause
// A parallel region, and a recursion of its own. Prints how many calls of Down there were.
#include <stdio.h>

static long calls;

static void Down(int n) {
  ++calls;
  if (n > 0) Down(n - 1);
  if (n > 2) Down(n - 3);
}

int main(void) {
#pragma omp parallel
  {
#pragma omp single
    Down(4);
  }
  for (int i = 0; i < 10; ++i) Down(3);
  printf("%ld calls\n", calls);
  return 0;
}
