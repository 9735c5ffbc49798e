// SPDX-License-Identifier: BSD-3-Clause
// One rank has more to do than the others, between collectives, until there is a file "stop": late RANK. It makes a
// file "started" when all have begun.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void Rest(int milliseconds) { nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL); }

static int step(int rank, int late) {
  int stop = rank == 0 && access("stop", F_OK) == 0, any = 0;
  Rest(rank == late ? 60 : 1);
  MPI_Allreduce(&stop, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int steps = 1;
  while (!step(rank, argc > 1 ? atoi(argv[1]) : 1)) {
    ++steps;
    if (rank == 0 && steps == 3) fclose(fopen("started", "w"));
  }
  MPI_Finalize();
  if (rank == 0) {
    FILE* file = fopen("steps", "w");
    fprintf(file, "%d\n", steps);
    fclose(file);
  }
  return 0;
}
