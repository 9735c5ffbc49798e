// SPDX-License-Identifier: BSD-3-Clause
// Sends 8 bytes to and fro between two processes; with one more argument, reduces 8 bytes over both instead. Prints the
// wall time of one round in ns, of the fastest of ten parts, because other processes on the core can only add time.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;

static void Exchange(void) {
  double x = rank;
  if (rank == 0) {
    MPI_Send(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

static void Reduce(void) {
  double x = rank, sum = 0;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  enum { kParts = 10 };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long rounds = argc > 1 ? atol(argv[1]) / kParts : 1000;
  void (*const once)(void) = argc > 2 ? Reduce : Exchange;
  for (long i = 0; i < rounds / 2; ++i) once();
  double least = 1e9;
  for (int part = 0; part < kParts; ++part) {
    const double start = MPI_Wtime();
    for (long i = 0; i < rounds; ++i) once();
    const double taken = (MPI_Wtime() - start) / (double)rounds;
    if (taken < least) least = taken;
  }
  MPI_Finalize();
  if (rank == 0) printf("ns=%.2f\n", least * 1e9);
  return 0;
}
