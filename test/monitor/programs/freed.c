// SPDX-License-Identifier: BSD-3-Clause
// Communicators that live for a few operations only: argv[1] of them.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < atoi(argv[1]); ++i) {
    MPI_Comm short_lived;
    int one = 1, sum;
    MPI_Comm_dup(MPI_COMM_WORLD, &short_lived);
    for (int k = 0; k < 3; ++k) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, short_lived);
    MPI_Comm_free(&short_lived);
  }
  MPI_Finalize();
  return 0;
}
