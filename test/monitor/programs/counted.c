// SPDX-License-Identifier: BSD-3-Clause
// CALLS operations along one call path, before which the ranks come late in turn, then OTHERS along another one; then it
// waits for a file "stop": counted CALLS [OTHERS].
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void Rest(long microseconds) { nanosleep(&(struct timespec){0, microseconds * 1000L}, NULL); }

static void counted(int rank, int size, int calls) {
  for (int i = 0; i < calls; ++i) {
    int mine = i, sum;
    if (i % size == rank) Rest(100 + 37 * (i % 29));
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * i) exit(1);
  }
}

// Each process has told all calls before after so many of them, and shows them when the last ones come: these are so
// slow that time passes, too.
static void others(int calls) {
  for (int i = 0; i < calls; ++i) {
    int mine = 1, most;
    if (i + 20 >= calls) Rest(60000);
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  counted(rank, size, argc > 1 ? atoi(argv[1]) : 300);
  others(argc > 2 ? atoi(argv[2]) : 300);
  if (rank == 0) fclose(fopen("started", "w"));
  while (access("stop", F_OK) != 0) Rest(20000);
  MPI_Finalize();
  return 0;
}
