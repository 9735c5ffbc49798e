// SPDX-License-Identifier: BSD-3-Clause
// Each rank works by itself until there is a file "begin", makes a file "works.PID" before that, and only then starts
// MPI. Rank 1 is late to each call, until there is a file "stop".
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void Rest(int milliseconds) { nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL); }

static void before(void) { Rest(10); }

int main(int argc, char** argv) {
  char works[64];
  before();
  snprintf(works, sizeof works, "works.%d", (int)getpid());
  fclose(fopen(works, "w"));
  while (access("begin", F_OK) != 0) before();
  MPI_Init(&argc, &argv);
  int rank, stop = 0, any = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (!any) {
    stop = rank == 0 && access("stop", F_OK) == 0;
    Rest(rank == 1 ? 40 : 1);
    MPI_Allreduce(&stop, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
