/* SPDX-License-Identifier: BSD-3-Clause
   Rank 0 frees a receive before its message is sent; with an argument, a receive from any process with any tag. Rank 1
   sends the message, and then comes late to two more messages of the same tag. */
#include <mpi.h>
#include <time.h>

enum { kTag = 7, kLateMs = 60 };

static void rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

int main(int argc, char** argv) {
  static int given_up, got, one = 1;
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const int source = argc > 1 ? MPI_ANY_SOURCE : 1, tag = argc > 1 ? MPI_ANY_TAG : kTag;
    MPI_Irecv(&given_up, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Send(&one, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) {
    if (rank == 0) MPI_Recv(&got, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) rest(kLateMs);
    if (rank == 1) MPI_Send(&one, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return rank == 0 && given_up + got != 2;
}
