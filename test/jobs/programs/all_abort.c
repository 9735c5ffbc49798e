// SPDX-License-Identifier: BSD-3-Clause
// All ranks abort the job at the same time.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
