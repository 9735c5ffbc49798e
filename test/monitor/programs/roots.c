// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose part is done at once, long before another one comes; then barriers, in which all wait for rank 0. It then
// waits for a file "stop": roots CALLS.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void Rest(long milliseconds) { nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? atoi(argv[1]) : 40;
  int rank, size;
  MPI_Comm pair;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
  for (int i = 0; i < calls; ++i) {
    double mine = rank, sum = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair == MPI_COMM_NULL) continue;
    if (rank == 0) Rest(20);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, pair);  // rank 1 sends
    if (rank == 0 && sum != 1) exit(1);
    PMPI_Barrier(pair);  // is not noted
    if (rank == 1) Rest(20);
    MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, pair);  // rank 0 sends
    if (mine != 0) exit(1);
    PMPI_Barrier(pair);
    if (rank == 0) Rest(20);
  }
  // After these calls each process has told all calls before, and shows them when the last ones come.
  for (int i = 0; i < 300; ++i) {
    int one = 1, all;
    if (i >= 280) Rest(60);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) fclose(fopen("started", "w"));
  while (access("stop", F_OK) != 0) Rest(20);
  MPI_Finalize();
  return 0;
}
