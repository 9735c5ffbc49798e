// SPDX-License-Identifier: BSD-3-Clause
// Has as many communicators at a time as MPI gives, at most 1200, and uses each. Prints how many.
#include <mpi.h>
#include <stdio.h>

enum { kMost = 1200 };

int main(int argc, char** argv) {
  static MPI_Comm all[kMost];
  int rank, made = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (made < kMost && MPI_Comm_dup(MPI_COMM_WORLD, &all[made]) == MPI_SUCCESS) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all[made++]);
    if (sum != 2) printf("wrong\n");
  }
  for (int i = 0; i < made; ++i) MPI_Comm_free(&all[i]);
  if (rank == 0) printf("%d\n", made);
  MPI_Finalize();
  return 0;
}
