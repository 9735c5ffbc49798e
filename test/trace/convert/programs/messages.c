/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks and every kind of message; kRounds times each. */
#include <mpi.h>

enum { kRounds = 20 };

static int out[kRounds], in[kRounds];

static void Blocking(int rank, int round) {
  if (rank == 0) {
    MPI_Send(out, round + 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in, kRounds, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void Exchange(int rank, MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Irecv(in, 1, MPI_INT, 1 - rank, 6, comm, &requests[0]);
  MPI_Isend(out, 1, MPI_INT, 1 - rank, 6, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, value[2] = {1, 2};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm swapped; /* where who is 0 in the world is 1 */
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &swapped);
  for (int round = 0; round < kRounds; ++round) {
    Blocking(rank, round);
    Exchange(1 - rank, swapped);
    MPI_Bcast(value, 2, MPI_INT, 0, swapped);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&swapped);
  MPI_Finalize();
  return 0;
}
