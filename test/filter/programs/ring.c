// SPDX-License-Identifier: BSD-3-Clause
// Messages around a ring; a function that sends, and one that does not.     ring
#include <mpi.h>
#include <stdio.h>

static volatile int sink;

__attribute__((noinline)) void local(int i) { sink += i; }
__attribute__((noinline)) void pass(int rank, int size) {
  int token[25] = {rank};
  MPI_Request request;
  MPI_Irecv(token, 25, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
  int mine[25] = {rank};
  MPI_Send(mine, 25, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sink += token[0];
}

int main(int argc, char** argv) {
  int rank = 0, size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 20; ++i) {
    pass(rank, size);
    for (int k = 0; k < 5; ++k) local(k);
  }
  MPI_Finalize();
  return 0;
}
