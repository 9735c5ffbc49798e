// SPDX-License-Identifier: BSD-3-Clause
// Receives from any process, or with any tag, that the program frees while they are open, and sends that it cancels too
// late: given_up ROUNDS MICROSECONDS. Of 2 ranks.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static int rank;
static double late;

static void Late(void) {
  for (const double until = Now() + late; Now() < until;) {
  }
}

static void SendLate(int tag) {
  int out = 0;
  Late();
  MPI_Send(&out, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

static void Receive(int from, int tag) {
  int in;
  MPI_Recv(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The first message is that of the receive that was freed.
static void GivenUp(int from, int tag, int is_persistent) {
  static int in;
  MPI_Request request;
  if (rank == 1) {
    if (is_persistent) {
      MPI_Recv_init(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
    } else {
      MPI_Irecv(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
    }
    MPI_Request_free(&request);
    if (request != MPI_REQUEST_NULL) abort();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) SendLate(3);
    if (rank == 1 && i > 0) Receive(i == 1 ? 0 : MPI_ANY_SOURCE, 3);
  }
}

// If MPI does cancel it, another message comes in its place.
static void Cancelled(int tag) {
  int out = 0, cancelled;
  MPI_Request request;
  MPI_Status status;
  if (rank == 0) MPI_Issend(&out, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    Late();
    return Receive(0, tag);
  }
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  if (cancelled) MPI_Send(&out, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  late = atoi(argv[2]) * 1e-6;
  for (int i = 0; i < atoi(argv[1]); ++i) {
    GivenUp(MPI_ANY_SOURCE, 3, 0);
    GivenUp(0, MPI_ANY_TAG, 0);
    GivenUp(MPI_ANY_SOURCE, MPI_ANY_TAG, 1);
    Cancelled(4);
  }
  MPI_Finalize();
  return 0;
}
