// SPDX-License-Identifier: BSD-3-Clause
// 100 operations, then children that call functions and end, then 100 more; then it waits for a file "stop".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;

static void work(void) { ++sink; }

static int operations(void) {
  int sum = 0;
  for (int i = 0; i < 100; ++i) MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int good = operations() == 99 * size;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 1000; ++k) work();
      _exit(0);
    }
    int status = 1;
    good = good && waitpid(child, &status, 0) == child && status == 0;
  }
  good = operations() == 99 * size && good;
  PMPI_Barrier(MPI_COMM_WORLD);  // no process notes this call; all have noted the calls before
  if (rank == 0) fclose(fopen("started", "w"));
  while (access("stop", F_OK) != 0) nanosleep(&(struct timespec){0, 20000000}, NULL);
  MPI_Finalize();
  return good ? 0 : 1;
}
