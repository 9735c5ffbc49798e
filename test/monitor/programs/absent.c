// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 sends messages of 2700 bytes, which need no receive: one while rank 1 is in MPI, and more while it rests
// outside of MPI. Some MPIs keep the sender in MPI_Wait then: absent ROUNDS MILLISECONDS.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static char data[2700];
static MPI_Comm world = MPI_COMM_WORLD;

static void Send(void) {
  MPI_Request request;
  MPI_Isend(data, sizeof data, MPI_CHAR, 1, 5, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void Receive(void) { MPI_Recv(data, sizeof data, MPI_CHAR, 0, 5, world, MPI_STATUS_IGNORE); }

// Tells the other rank that it may go on.
static void Pass(int from) {
  int rank;
  MPI_Comm_rank(world, &rank);
  if (rank == from) MPI_Send(data, 0, MPI_CHAR, 1 - from, 6, world);
  if (rank != from) MPI_Recv(data, 0, MPI_CHAR, from, 6, world, MPI_STATUS_IGNORE);
}

static void Early(int rank) {
  if (rank == 0) Send();
  Pass(0);
  if (rank == 1) Receive();
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  Early(rank);
  for (int round = 0; round < atoi(argv[1]); ++round) {
    Pass(1);
    if (rank == 0) Send();
    if (rank == 1) usleep((useconds_t)atoi(argv[2]) * 1000);
    if (rank == 1) Receive();
  }
  MPI_Finalize();
  return 0;
}
