// SPDX-License-Identifier: BSD-3-Clause
// Collectives of every kind, on communicators of every kind, with a rank that is late: collectives ROUNDS MICROSECONDS.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void Work(double seconds) {
  for (const double until = Now() + seconds; Now() < until;) {
  }
}

static int rank, size;

static void Round(MPI_Comm comm, int round) {
  int mine, all, in[64] = {0}, out[64] = {0};
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &all);
  const int root = round % all;
  MPI_Barrier(comm);
  MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, comm);
  MPI_Bcast(in, 8, MPI_INT, root, comm);
  MPI_Reduce(in, out, 8, MPI_INT, MPI_SUM, root, comm);
  MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, root, comm);
  MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, root, comm);
  MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm);
  MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
  MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, comm);
  int counts[64], places[64];
  for (int i = 0; i < all; ++i) counts[i] = i == 0 ? 0 : 1, places[i] = i;  // the first process gives nothing
  MPI_Allgatherv(in, counts[mine], MPI_INT, out, counts, places, MPI_INT, comm);
  MPI_Allreduce(in, out, 0, MPI_INT, MPI_SUM, comm);  // no data: no process waits
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  const double late = (argc > 2 ? atoi(argv[2]) : 0) * 1e-6;
  MPI_Comm half, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int round = 0; round < rounds; ++round) {
    if (rank == round % size) Work(late);
    Round(MPI_COMM_WORLD, round);
    Round(half, round);
    if (round % 3 == 0) Round(copy, round);
  }
  if (argc > 3 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
  return 0;
}
