// SPDX-License-Identifier: BSD-3-Clause
// Messages around a ring; of 20 rounds, 6 with a group that is off.     switched_ring
#include <mpi.h>

#include "epik/epik.h"

static volatile int sink;

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
    if (argc > 1 && i == 5) EPIK_GROUP_DISABLE(argv[1]);
    if (argc > 1 && i == 11) EPIK_GROUP_ENABLE(argv[1]);
    pass(rank, size);
  }
  MPI_Finalize();
  return 0;
}
