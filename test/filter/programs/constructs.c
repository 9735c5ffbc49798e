// SPDX-License-Identifier: BSD-3-Clause
// Constructs of OpenMP, each a known number of times on each thread. With a word, that group is off.     constructs
#include <stdio.h>

#include "epik/epik.h"

static volatile int sink;

__attribute__((noinline)) void piece(int i) { sink = i; }

__attribute__((noinline)) void all(void) {
#pragma omp parallel
  {
    for (int round = 0; round < 4; ++round) {
#pragma omp for schedule(dynamic, 50)
      for (int i = 0; i < 100; ++i) sink = i;
      piece(round);
#pragma omp barrier
#pragma omp critical
      piece(-round);
#pragma omp barrier
    }
#pragma omp single
    piece(7);
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 10; ++i) sink = i;
}

int main(int argc, char** argv) {
  if (argc > 1) EPIK_GROUP_DISABLE(argv[1]);
  all();
  if (argc > 1) EPIK_GROUP_ENABLE("nothing of this");
  all();
  printf("done\n");
  return 0;
}
