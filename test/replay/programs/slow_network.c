// SPDX-License-Identifier: BSD-3-Clause
// A library between the measurement and MPI: with SLOW_RANK, messages of this rank to the next one are on their way for
// 50 ms longer.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void Delay(int to, MPI_Comm comm) {
  const char* slow = getenv("SLOW_RANK");
  int rank = -1, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  if (slow == NULL || atoi(slow) != rank || to != (rank + 1) % ranks) return;
  const struct timespec on_its_way = {0, 50000000};
  nanosleep(&on_its_way, NULL);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  Delay(to, comm);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  Delay(to, comm);
  return PMPI_Send(data, count, type, to, tag, comm);
}
