// SPDX-License-Identifier: BSD-3-Clause
// Message rate of two processes: windows of 64 non-blocking messages of 8 bytes and a Waitall; with "self", messages of
// each process to itself; with "put", 8 bytes stored in the other's window, 64 before each flush. Prints the wall time
// of one message in ns, of the fastest of ten parts.     messages COUNT window|self|put
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWindow = 64, kParts = 10 };

static int rank;
static MPI_Win memory;

// Both ways at once.
static void Window(void) {
  static double from[kWindow], to[kWindow];
  MPI_Request requests[2 * kWindow];
  for (int i = 0; i < kWindow; ++i) {
    MPI_Irecv(&to[i], 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < kWindow; ++i) {
    MPI_Isend(&from[i], 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[kWindow + i]);
  }
  MPI_Waitall(2 * kWindow, requests, MPI_STATUSES_IGNORE);
}

static void Self(void) {
  for (int i = 0; i < kWindow; ++i) {
    double x = i, y = 0;
    MPI_Request request;
    MPI_Irecv(&y, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void Put(void) {
  double x = rank;
  for (int i = 0; i < kWindow; ++i) MPI_Put(&x, 1, MPI_DOUBLE, 1 - rank, i, 1, MPI_DOUBLE, memory);
  MPI_Win_flush(1 - rank, memory);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: messages COUNT window|self|put\n");
    return 2;
  }
  void (*const once)(void) = strcmp(argv[2], "put") == 0 ? Put : strcmp(argv[2], "self") == 0 ? Self : Window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* base = NULL;
  if (once == Put) {
    MPI_Win_allocate(kWindow * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &memory);
    MPI_Win_lock_all(0, memory);
  }
  const long rounds = atol(argv[1]) / kParts / kWindow;
  for (long i = 0; i < rounds / 2; ++i) once();
  double least = 1e9;
  for (int part = 0; part < kParts; ++part) {
    const double start = MPI_Wtime();
    for (long i = 0; i < rounds; ++i) once();
    const double taken = (MPI_Wtime() - start) / (double)rounds / kWindow;
    if (taken < least) least = taken;
  }
  if (once == Put) {
    MPI_Win_unlock_all(memory);
    MPI_Win_free(&memory);
  }
  MPI_Finalize();
  if (rank == 0) printf("ns=%.2f\n", least * 1e9);
  return 0;
}
