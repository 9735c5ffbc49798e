// SPDX-License-Identifier: BSD-3-Clause
// Messages whose sizes tell which one they are, collective operations, teams of threads and locks. The right links of
// the trace follow from that. With an argument, it is killed in the end.
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSteps = 60, kCalls = 40, kMost = 1 << 16 };

static char out[kMost], in[kMost];

__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) int inner(int x) { return leaf(x) + leaf(x + 1); }
__attribute__((noinline)) int calls(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += inner(i);
  return sum;
}

__attribute__((noinline)) void ring(int rank, int ranks, int step) {
  MPI_Request requests[2];
  MPI_Irecv(in, kMost, MPI_CHAR, (rank + ranks - 1) % ranks, step, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 1 + rank * kSteps + step, MPI_CHAR, (rank + 1) % ranks, step, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

__attribute__((noinline)) void to_root(int rank, int ranks, int step) {
  if (rank != 0) {
    MPI_Send(out, 1000 + rank * kSteps + step, MPI_CHAR, 0, 500, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < ranks; ++i) {
    MPI_Recv(in, kMost, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

__attribute__((noinline)) int threads(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 3; ++i) {
#pragma omp critical(adding)
    sum += leaf(i);
  }
  return sum;
}

int main(int argc, char** argv) {
  int rank, ranks, sum = 0, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 0; step < kSteps; ++step) {
    sum += calls(kCalls + step);
    ring(rank, ranks, step);
    to_root(rank, ranks, step);
    sum += threads();
    MPI_Allreduce(&step, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (argc > 1) {
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
  }
  MPI_Finalize();
  return sum == 0;
}
