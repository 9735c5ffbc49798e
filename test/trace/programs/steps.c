// SPDX-License-Identifier: BSD-3-Clause
// The same calls in every run; those that take long take much longer than the others. With MPI, each fourth step
// communicates.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include "epik/epik.h"

volatile int sink;

__attribute__((noinline)) void Leaf(void) { ++sink; }

__attribute__((noinline)) void Wait(int step) {
  Leaf();
#ifdef VALUES
  EPIK_METRIC("step", "1", step);
#endif
  usleep(60000);
}

__attribute__((noinline)) void Talk(int step) {
  Leaf();
#ifdef WITH_MPI
  int rank, ranks, mine = step, theirs = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % ranks, 7, &theirs, 1, MPI_INT, (rank + ranks - 1) % ranks, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  sink += theirs;
#else
  sink += step;
#endif
}

__attribute__((noinline)) void Descend(int levels) {
  Leaf();
  if (levels > 0) Descend(levels - 1);
  if (levels == 2) Leaf();
}

__attribute__((noinline)) void Step(int step) {
  for (int i = 0; i < 3; ++i) Leaf();
  if (step % 4 == 0) Talk(step);
  if (step % 5 == 0) Wait(step);
  Descend(step % 3);
#ifndef VALUES
  if (step == 5) EPIK_TRACE_OFF();
  if (step == 10) EPIK_TRACE_ON();
  if (step == 12) EPIK_FLUSH_TRACE();
#endif
}

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  const int steps = argc > 1 ? atoi(argv[1]) : 12;
  for (int step = 1; step <= steps; ++step) Step(step);
  Descend(4);
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  printf("sink %d\n", sink);
  return 0;
}
