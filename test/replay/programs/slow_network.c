// SPDX-License-Identifier: BSD-3-Clause
// A library between the measurement and MPI: with SLOW_RANK, messages of this rank are on their way for 50 ms longer.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const char* slow = getenv("SLOW_RANK");
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (slow != NULL && atoi(slow) == rank) {
    const struct timespec on_its_way = {0, 50000000};
    nanosleep(&on_its_way, NULL);
  }
  return PMPI_Send(data, count, type, to, tag, comm);
}
