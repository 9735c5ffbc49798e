/* SPDX-License-Identifier: BSD-3-Clause
   Each process sends messages to itself: alone ROUNDS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < rounds; ++i) {
    int sent = i, received = 0;
    MPI_Request request;
    MPI_Isend(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(&received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
