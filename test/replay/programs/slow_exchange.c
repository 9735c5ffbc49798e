// SPDX-License-Identifier: BSD-3-Clause
// 4 ranks exchange messages with both neighbours and wait for all at once, on a network that slow_network.c makes. With
// an argument, they also get messages from the next rank alone.
#include <mpi.h>

enum { kRounds = 20, kBytes = 2000 };

int main(int argc, char** argv) {
  static char out[kBytes], in[2][kBytes];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  for (int i = 0; i < kRounds; ++i) {
    MPI_Request requests[4];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(in[0], kBytes, MPI_CHAR, last, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], kBytes, MPI_CHAR, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, kBytes, MPI_CHAR, last, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out, kBytes, MPI_CHAR, next, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (argc > 1) {
      MPI_Irecv(in[1], kBytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, kBytes, MPI_CHAR, last, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
