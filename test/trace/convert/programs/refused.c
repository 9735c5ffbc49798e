/* SPDX-License-Identifier: BSD-3-Clause
   Rank 0 sends one message. Before it, MPI refuses two sends that have no buffer. */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char** argv) {
  int rank, data = 1;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    if (MPI_Send(NULL, 1, MPI_INT, 1, 5, MPI_COMM_WORLD) == MPI_SUCCESS) return 1;
    if (MPI_Isend(NULL, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request) == MPI_SUCCESS) return 1;
    MPI_Send(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
