// SPDX-License-Identifier: BSD-3-Clause
// Messages among three ranks, each call in a log of the guest's own: "CALL PEER TAG BEFORE AFTER", by the clock of
// EPK_TIMER=monotonic. Then it waits for a file "stop": sent ROUNDS DELAY_MS. In the first round rank 0 comes late to
// its sends.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static FILE* logged;

static long long Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void Rest(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

#define LOGGED(call, peer, tag)                                            \
  do {                                                                     \
    const long long before = Now();                                        \
    MPI_##call;                                                            \
    fprintf(logged, #call " %d %d %lld %lld\n", peer, tag, before, Now()); \
  } while (0)

static int value;
static MPI_Status status;
static MPI_Request requests[2];
static int flag;

static void First(void) {
  LOGGED(Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD), 1, 5);
  LOGGED(Ssend(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD), 1, 6);
  LOGGED(Isend(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]), 1, 7);
  LOGGED(Wait(&requests[0], &status), 1, 7);
  LOGGED(Issend(&value, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, &requests[0]), 2, 8);
  LOGGED(Wait(&requests[0], &status), 2, 8);
  LOGGED(Send(&value, 1, MPI_INT, 2, 9, MPI_COMM_WORLD), 2, 9);
  LOGGED(Send(&value, 1, MPI_INT, 2, 10, MPI_COMM_WORLD), 2, 10);
  LOGGED(Send(&value, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD), -1, 5);
}

static void Second(void) {
  LOGGED(Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status), 0, 5);
  LOGGED(Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0, 6);
  LOGGED(Irecv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]), 0, 7);
  LOGGED(Wait(&requests[0], MPI_STATUS_IGNORE), 0, 7);
}

static void Third(void) {
  int values[2];
  LOGGED(Irecv(&values[0], 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &requests[0]), 0, 8);
  LOGGED(Irecv(&values[1], 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &requests[1]), 0, 9);
  LOGGED(Waitall(2, requests, MPI_STATUSES_IGNORE), 0, 0);
  LOGGED(Probe(0, 10, MPI_COMM_WORLD, &status), 0, 10);
  LOGGED(Recv(&value, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, &status), 0, 10);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char name[32];
  snprintf(name, sizeof name, "log.%d", rank);
  logged = fopen(name, "w");
  const int rounds = atoi(argv[1]), delay = atoi(argv[2]);
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && i == 0) Rest(delay);
    if (rank == 0) First();
    if (rank == 1) Second();
    if (rank == 2) Third();
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    int got;
    LOGGED(Sendrecv(&rank, 1, MPI_INT, next, 11, &got, 1, MPI_INT, last, 11, MPI_COMM_WORLD, &status), next, 11);
    if (got != last) return 1;
  }
  LOGGED(Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]), -1, 1);
  LOGGED(Test(&requests[0], &flag, &status), -1, 1);
  fclose(logged);
  MPI_Barrier(MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD);  // no process notes this call; all have noted the one before
  if (rank == 0) fclose(fopen("started", "w"));
  while (access("stop", F_OK) != 0) Rest(10);
  MPI_Finalize();
  return flag ? 0 : 1;
}
