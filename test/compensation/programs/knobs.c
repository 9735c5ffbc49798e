/* SPDX-License-Identifier: BSD-3-Clause
   A program whose arguments set the times of its parts: milliseconds of `assemble`, of `react` on the last process (the
   others have a quarter of it) and between sends. Work is sleep: processors are few. Prints the seconds from when all
   have started until all are done. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

static int rank, ranks;

OUT static void work(double milliseconds) {
  const long long ns = (long long)(milliseconds * 1e6);
  struct timespec t = {ns / 1000000000LL, ns % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) != 0) continue;
}

static void assemble(double milliseconds) { work(rank == 0 ? milliseconds : milliseconds / 8); }
static void part(double milliseconds) { work(milliseconds); }
static void react(double milliseconds) { part(rank == ranks - 1 ? milliseconds : milliseconds / 4); }

/* Each process has to hear of the one before it. */
static void pass_on(double milliseconds) {
  int token = 0;
  if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(milliseconds);
  if (rank < ranks - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double knob[3] = {argc > 1 ? atof(argv[1]) : 10, argc > 2 ? atof(argv[2]) : 20, argc > 3 ? atof(argv[3]) : 5};
  double sum = 0, one = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < 10; ++i) {
    assemble(knob[0]);
    react(knob[1]);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    pass_on(knob[2]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.9f\n", MPI_Wtime() - begin);
  MPI_Finalize();
  return 0;
}
