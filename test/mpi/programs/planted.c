// SPDX-License-Identifier: BSD-3-Clause
// A mistake in a library in front of MPI, like one that a wrapper of EPIK could make: a sanitizer must report it.
#include <mpi.h>
#include <stdlib.h>

int MPI_Barrier(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  int* volatile words = malloc(sizeof *words);
  free(words);
  if (rank == 1) *words = rank;
  return PMPI_Barrier(comm);
}
