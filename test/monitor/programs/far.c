// SPDX-License-Identifier: BSD-3-Clause
// Prints the seconds that ROUNDS global sums take: far ROUNDS.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  double mine = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 10); ++i) {
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  MPI_Finalize();
  if (rank == 0) printf("%.6f\n", seconds);
  return 0;
}
