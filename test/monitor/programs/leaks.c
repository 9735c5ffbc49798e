// SPDX-License-Identifier: BSD-3-Clause
// Leaks 77 bytes and no more: all other leaks that are reported are EPIK's.
#include <mpi.h>
#include <stdlib.h>

static void* volatile kept;

static void __attribute__((noinline)) Leak(void) {
  kept = malloc(77);
  kept = 0;
}

static void __attribute__((noinline)) Exchange(MPI_Comm comm, int rank, int ranks) {
  char out[8] = "", in[8];
  MPI_Request requests[2];
  MPI_Message message;
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Irecv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, 1, comm, &requests[0]);
  MPI_Isend(out, 8, MPI_CHAR, to, 1, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Send(out, 8, MPI_CHAR, to, 2, comm);
  MPI_Mprobe(from, 2, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comms[20];
  for (int c = 0; c < 20; ++c) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    double sum, one = 1;
    for (int i = 0; i < 50; ++i) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comms[c]);
    Exchange(comms[c], rank, ranks);
  }
  for (int c = 0; c < 10; ++c) MPI_Comm_free(&comms[c]);  // the others stay
  char byte;
  MPI_Request open;
  MPI_Recv_init(&byte, 1, MPI_CHAR, 0, 3, MPI_COMM_SELF, &open);
  Leak();
  MPI_Finalize();
  return 0;
}
