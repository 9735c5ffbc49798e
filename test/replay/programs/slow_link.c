// SPDX-License-Identifier: BSD-3-Clause
// Messages around a ring of 4 ranks, on a network that slow_network.c makes.
#include <mpi.h>

enum { kRounds = 20, kBytes = 2000 };

int main(int argc, char** argv) {
  static char out[kBytes], in[kBytes];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  for (int i = 0; i < kRounds; ++i) {
    if (rank != 0) MPI_Recv(in, kBytes, MPI_CHAR, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, kBytes, MPI_CHAR, next, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(in, kBytes, MPI_CHAR, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
