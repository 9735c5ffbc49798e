// SPDX-License-Identifier: BSD-3-Clause
// killed ROUNDS: rank 0 comes late to an operation and with a message, once each in 80 ms. Then all ranks are killed.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double value = rank, sum = 0;
  for (int round = 0; round < atoi(argv[1]); ++round) {
    if (rank == 0) usleep(40000);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) usleep(40000);
    if (rank == 0)
      MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  raise(SIGKILL);
  return 0;
}
