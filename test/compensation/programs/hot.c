/* SPDX-License-Identifier: BSD-3-Clause
   A tiny function that is called all the time by one process; the other waits for its result. Prints the CPU time that
   this took, as the program itself sees it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

static volatile unsigned state = 1;
__attribute__((noinline)) void step(void) { state = state * 1664525u + 1013904223u; }

OUT static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

OUT int main(int argc, char** argv) {
  int rank = 0, result = 0;
  const long calls = argc > 1 ? atol(argv[1]) : 1000000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 5; ++round) {
    if (rank == 0) {
      const double begin = cpu();
      for (long i = 0; i < calls; ++i) {
        for (int k = 0; k < 2; ++k) state = state * 22695477u + 1;
        step();
      }
      printf("%.9f\n", cpu() - begin);
      MPI_Send(&result, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Recv(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
