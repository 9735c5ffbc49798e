// SPDX-License-Identifier: BSD-3-Clause
// Data from some processes only: `rounds` rounds of MPI_Alltoallv in which each rank sends to the next one alone, the
// same begun and waited for, one with MPI_Alltoallw and one in which all send to all. Rank 0 gets nothing in the first.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { kMost = 16 };

static int rank, ranks;
static int out[kMost], in[kMost], places[kMost], data_out[kMost], data_in[kMost];
static MPI_Datatype types[kMost];

static void Rest(int microseconds) { nanosleep(&(struct timespec){0, microseconds * 1000L}, NULL); }

static void ToTheNext(int last_too) {
  for (int i = 0; i < ranks; ++i) out[i] = in[i] = 0;
  if (last_too || rank + 1 < ranks) out[(rank + 1) % ranks] = 1;
  if (last_too || rank > 0) in[(rank + ranks - 1) % ranks] = 1;
}

static void Blocking(void) {
  ToTheNext(0);
  MPI_Alltoallv(data_out, out, places, MPI_INT, data_in, in, places, MPI_INT, MPI_COMM_WORLD);
}

static void Later(void) {
  MPI_Request request;
  ToTheNext(1);
  MPI_Ialltoallv(data_out, out, places, MPI_INT, data_in, in, places, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void Types(void) {
  ToTheNext(1);
  MPI_Alltoallw(data_out, out, places, types, data_in, in, places, types, MPI_COMM_WORLD);
}

static void Dense(void) {
  for (int i = 0; i < ranks; ++i) out[i] = in[i] = 1;
  MPI_Alltoallv(data_out, out, places, MPI_INT, data_in, in, places, MPI_INT, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < kMost; ++i) types[i] = MPI_INT;
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  for (int i = 0; i < rounds; ++i) {
    Rest(500 * ((rank + i) % ranks));
    Blocking();
    Rest(500 * ((rank + 2 * i) % ranks));
    Later();
    Rest(300 * ((2 * rank + i) % ranks));
    Types();
    Rest(500 * ((rank + 3 * i) % ranks));
    Dense();
  }
  MPI_Finalize();
  return 0;
}
