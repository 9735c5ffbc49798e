// SPDX-License-Identifier: BSD-3-Clause
// Moves bytes in each way that has a metric of its own: a message, a collective operation, a put and a get.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double own = rank, other = 0;
  if (rank == 0) MPI_Send(&own, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&other, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(&own, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Win window;
  MPI_Win_create(&other, sizeof other, sizeof other, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(&own, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  if (rank == 1) MPI_Get(&own, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
