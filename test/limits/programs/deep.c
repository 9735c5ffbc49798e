// SPDX-License-Identifier: BSD-3-Clause
// Calls of `down` within each other, CALLS deep, with one of `beside` in the innermost and one after all: deep CALLS.
#include <stdlib.h>

volatile int bottom;

__attribute__((noinline)) void beside(void) { bottom = 2; }
__attribute__((noinline)) void down(int more) {
  if (more > 1) down(more - 1);
  if (more == 1) beside();
  bottom = 1;
}

int main(int argc, char** argv) {
  down(argc > 1 ? atoi(argv[1]) : 1);
  beside();
  return 0;
}
