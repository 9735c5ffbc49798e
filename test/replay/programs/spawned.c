/* SPDX-License-Identifier: BSD-3-Clause
   Two processes start two others, and meet them. Rank 1 is late by the given milliseconds: spawned 200. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Comm others;
  int rank, give[2] = {1, 2}, take[2] = {0, 0}, of_both[2] = {1, 1}, of_none[2] = {0, 0}, places[2] = {0, 1};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&others);
  const int is_child = others != MPI_COMM_NULL;
  if (!is_child) MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  if (!is_child && rank == 1) usleep((useconds_t)(1000 * atoi(argv[1])));
  /* The parents get data only from the children, which do not wait for rank 1. */
  MPI_Alltoallv(give, is_child ? of_both : of_none, places, MPI_INT, take, is_child ? of_none : of_both, places,
                MPI_INT, others);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
