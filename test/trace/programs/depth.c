/* SPDX-License-Identifier: BSD-3-Clause */
/* Short calls below a deep recursion, which the end of the trace is still in.     depth LEVELS CALLS */
#include <stdlib.h>

static volatile long sink;

static void Leaf(long i) { sink += i; }

static void Down(long levels, long calls) {
  if (levels > 0) {
    Down(levels - 1, calls);
    sink += levels;
  } else {
    for (long i = 0; i < calls; ++i) Leaf(i);
    exit(0);
  }
}

int main(int argc, char** argv) {
  Down(argc > 1 ? atol(argv[1]) : 10, argc > 2 ? atol(argv[2]) : 10);
  return 0;
}
