// SPDX-License-Identifier: BSD-3-Clause
// Calls after MPI_Finalize: 7 + R on rank R.
#include <mpi.h>
#include <stdio.h>

static void Work(void) {}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Work();
  MPI_Finalize();
  for (int i = 0; i < 7 + rank; ++i) Work();
  if (rank == 0) puts("after");
  return 0;
}
