// SPDX-License-Identifier: BSD-3-Clause
// CALLS operations along one call path, to which the ranks come late in turn, every fifth of them with two ranks only,
// then OTHERS along another one; then it waits for a file "stop": counted CALLS [OTHERS].
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void Rest(long microseconds) { nanosleep(&(struct timespec){0, microseconds * 1000L}, NULL); }

// mixed: three communicators share the call path: all processes, all of them once more, and, every fifth time, the
// first two alone, which do not wait for the rest.
static void counted(int rank, int size, int calls, int mixed) {
  MPI_Comm twice, pair;
  MPI_Comm_dup(MPI_COMM_WORLD, &twice);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
  for (int i = 0; i < calls; ++i) {
    const MPI_Comm on[] = {MPI_COMM_WORLD, twice, pair};
    const int which = !mixed ? 0 : i % 5 == 4 ? 2 : i % 5 % 2;
    int mine = i, sum, members = size;
    if (i % size == rank) Rest(100 + 37 * (i % 29));
    if (on[which] == MPI_COMM_NULL) continue;
    if (which == 2) members = 2;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, on[which]);
    if (sum != members * i) exit(1);
  }
}

// After these calls each process has told all calls before, and shows them when the last ones come. They are slow, so
// that time passes, too.
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
  counted(rank, size, argc > 1 ? atoi(argv[1]) : 300, argc > 3);
  others(argc > 2 ? atoi(argv[2]) : 300);
  PMPI_Barrier(MPI_COMM_WORLD);  // no process notes this call; all have noted the calls before
  if (rank == 0) fclose(fopen("started", "w"));
  while (access("stop", F_OK) != 0) Rest(20000);
  MPI_Finalize();
  return 0;
}
