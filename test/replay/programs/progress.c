/* SPDX-License-Identifier: BSD-3-Clause
   A receiver posts its receive and then computes, while the sender waits for the end of its send: progress BYTES MS
   message. Or both begin a collective operation, or send each other a message, and one waits while the other one
   computes: progress BYTES MS sum, progress BYTES MS both. Or the process that waits gives all data of the operation:
   progress BYTES MS root. Or the receiver is back in another receive first: progress BYTES MS call. Writes to "truth",
   for each round, how long the sender waited in all, and how long until the receiver was back in MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRounds = 4 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void Complete(MPI_Request one, MPI_Request other) {
  MPI_Request all[] = {one, other};
  if (other == MPI_REQUEST_NULL) MPI_Wait(&one, MPI_STATUS_IGNORE);
  if (other != MPI_REQUEST_NULL) MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, bytes = atoi(argv[1]), milliseconds = atoi(argv[2]);
  const char how = argv[3][0];
  const int sums = how == 's' || how == 'r', both = how == 'b';
  char *data = calloc(1, (size_t)bytes), *into = calloc(1, (size_t)bytes);
  double waits[kRounds], ends[kRounds], back[kRounds];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request request, other = MPI_REQUEST_NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    if (how == 's') MPI_Iallreduce(data, into, bytes, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD, &request);
    if (how == 'r') MPI_Ibcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    if (both) {
      MPI_Irecv(into, bytes, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &other);
      MPI_Isend(data, bytes, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &request);
    }
    if (rank == 0) {
      compute(10); /* so that the receive is posted */
      if (!sums && !both) MPI_Isend(data, bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request);
      waits[round] = now();
      Complete(request, other);
      ends[round] = now();
      if (how == 'c') MPI_Send(data, 1, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
    } else {
      if (!sums && !both) MPI_Irecv(data, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
      compute(10 + milliseconds);
      back[round] = now();
      if (how == 'c') MPI_Recv(into, 1, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      Complete(request, other);
    }
  }
  if (rank == 1) MPI_Send(back, kRounds, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(back, kRounds, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    FILE* truth = fopen("truth", "w");
    for (int round = 0; round < kRounds; ++round) {
      fprintf(truth, "%.9f %.9f\n", ends[round] - waits[round], back[round] - waits[round]);
    }
    fclose(truth);
  }
  MPI_Finalize();
  free(data);
  free(into);
  return argc == 0;
}
