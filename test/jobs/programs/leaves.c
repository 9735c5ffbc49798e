// SPDX-License-Identifier: BSD-3-Clause
// Each rank makes a file, waits for another one, and leaves without MPI_Finalize in the way that the first argument
// says.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm half;

static void aborts(void) { MPI_Abort(half, 3); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  char name[32];
  snprintf(name, sizeof name, "ready.%d", rank);
  fclose(fopen(name, "w"));
  while (access("go", F_OK) != 0) usleep(10000);
  if (strcmp(argv[1], "abort") == 0) aborts();
  if (strcmp(argv[1], "handler") == 0) atexit(aborts);
  if (strcmp(argv[1], "_exit") == 0) _exit(3);
  exit(3);
}
