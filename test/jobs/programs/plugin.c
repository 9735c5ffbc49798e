/* SPDX-License-Identifier: BSD-3-Clause */
/* A module that needs MPI, as an interpreter loads it. */
#include <mpi.h>

int run(void) {
  int flag = 0;
  MPI_Init(0, 0);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  PMPI_Initialized(&flag);
  MPI_Finalize();
  return flag;
}
