/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that starts another one, which talks to it: two parents, two children. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 7, got = 0;
  MPI_Comm other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&other);
  const int is_child = other != MPI_COMM_NULL;
  if (!is_child) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
  }
  for (int i = 0; i < 5; ++i) {
    if (is_child) MPI_Send(&value, 1, MPI_INT, rank, 3, other);
    if (!is_child) MPI_Recv(&got, 1, MPI_INT, rank, 3, other, MPI_STATUS_IGNORE);
  }
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return is_child || got == 7 ? 0 : 1;
}
