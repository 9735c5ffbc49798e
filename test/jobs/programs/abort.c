// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 aborts the job as soon as it can, while others may still be within MPI_Init.
#include <mpi.h>

static volatile int sink;
__attribute__((noinline)) void before(void) { sink = sink + 1; }

int main(int argc, char** argv) {
  int rank;
  before();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  for (;;) MPI_Barrier(MPI_COMM_WORLD);
}
