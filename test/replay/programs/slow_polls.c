// SPDX-License-Identifier: BSD-3-Clause
// 4 ranks get small messages from the last rank, on a network that slow_arrival.c makes. "test": they test until the
// messages have come. "large": they wait for them, and for the end of their send of a large message to the last rank.
#include <mpi.h>
#include <string.h>
#include <time.h>

enum { kRounds = 20, kSmall = 2000, kLarge = 200000 };

static char out[kLarge], in[kLarge], small_out[kSmall], small_in[kSmall];

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  const int asks = argc > 1 && strcmp(argv[1], "test") == 0;
  for (int i = 0; i < kRounds; ++i) {
    MPI_Request requests[4];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(small_in, kSmall, MPI_CHAR, last, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(small_out, kSmall, MPI_CHAR, next, 0, MPI_COMM_WORLD, &requests[1]);
    if (!asks) {
      MPI_Irecv(in, kLarge, MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(out, kLarge, MPI_CHAR, last, 1, MPI_COMM_WORLD, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      continue;
    }
    for (int done = 0; !done;) {
      MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
      if (!done) nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
