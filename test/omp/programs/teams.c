// SPDX-License-Identifier: BSD-3-Clause
// Leagues of teams on the host, with regions in them: counted as in constructs.c.
#include <omp.h>
#include <stdio.h>

enum { kRounds = 5 };

static volatile double sink;

int main(void) {
  int members = 0;
  // Threads of the pool that come from here lead teams of libomp.
#pragma omp parallel num_threads(3)
#pragma omp atomic
  ++members;
  for (int i = 0; i < kRounds; ++i) {
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      ++members;
      for (int j = 0; j < 10000; ++j) sink = sink + j;
    }
  }
  printf("count teams %d\ncount parallel %d\n", kRounds, members);
  return members >= 2 * kRounds ? 0 : 1;
}
