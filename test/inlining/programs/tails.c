/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that calls itself last: compilers make a loop of it before the plugin puts hooks in. */
#include <stdio.h>

enum { kDepth = 1972 };

__attribute__((noinline)) long Down(long n, long sum) { return n == 0 ? sum : Down(n - 1, sum ^ n); }

int main(void) {
  printf("%ld\n", Down(kDepth, 0));
  return 0;
}
