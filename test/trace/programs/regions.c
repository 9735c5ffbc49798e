/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions that do next to nothing: much of what a thread of the pool logs is about the time between two of
   them. regions ROUNDS */
#include <stdlib.h>

static volatile int sink;

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel
    ++sink;
  }
  return 0;
}
