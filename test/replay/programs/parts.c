/* SPDX-License-Identifier: BSD-3-Clause
   parts ROUNDS MS: rank 0 starts a partitioned send at once, and marks the last part so late. An MPI before MPI 4 has
   no such sends; then the status is 77. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#if MPI_VERSION < 4
int main(void) { return 77; }
#else

enum { kParts = 6, kEach = 3 };

static void Rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void Round(int rank, int late_ms, MPI_Request* request) {
  int early[] = {1, 3};
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(request);
  if (rank == 0) {
    MPI_Pready(0, *request);
    MPI_Pready_list(2, early, *request);
    MPI_Pready_range(4, 5, *request);
    Rest(late_ms);
    MPI_Pready(2, *request);
  }
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  static int data[kParts * kEach];
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Psend_init(data, kParts, kEach, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 1) MPI_Precv_init(data, kParts, kEach, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < atoi(argv[1]); ++i) Round(rank, atoi(argv[2]), &request);
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
#endif
