/* SPDX-License-Identifier: BSD-3-Clause
   Rank 0 works for 300 ms in 10 rounds. Rank 1 asks for its messages again and again. `asking test|iprobe`. */
#include <mpi.h>
#include <string.h>
#include <time.h>

__attribute__((noinline)) void work(void) {
  const struct timespec pause = {0, 30000000};
  nanosleep(&pause, NULL);
}

static void take(void) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe(void) {
  int there = 0;
  while (!there) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  take();
}

static void test(void) {
  int value, there = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  while (!there) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 10; ++round) {
    if (rank == 0) {
      work();
      MPI_Send(&round, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (strcmp(argv[1], "test") == 0) {
      test();
    } else {
      probe();
    }
  }
  MPI_Finalize();
  return 0;
}
