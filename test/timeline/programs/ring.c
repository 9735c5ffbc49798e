// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 comes late, and the others wait for it: in a receive, and at a barrier.
#include <mpi.h>
#include <time.h>

__attribute__((no_instrument_function)) static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void Work(double seconds) {
  const double end = Now() + seconds;
  while (Now() < end) {
  }
}

__attribute__((noinline)) static int Small(int i) { return i * 7; }

__attribute__((noinline)) static void Step(int rank, int ranks) {
  int token = rank;
  if (rank == 0) Work(0.05);
  if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1 % ranks, 5, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 50; ++i) token += Small(i);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 3; ++i) Step(rank, ranks);
  MPI_Finalize();
  return 0;
}
