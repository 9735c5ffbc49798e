// SPDX-License-Identifier: BSD-3-Clause
// Ranks that compute for unequal times and meet after each round, where those that come first wait: polls ROUNDS. Each
// writes the CPU time of its computation to a file "cpu.RANK": the thread's clock is read around each round.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double CpuSeconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double Compute(int steps) {
  volatile double value = 1;
  for (int i = 0; i < steps; ++i) value = value * 1.0000001 + 1e-9;
  return value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double start = CpuSeconds();
  double cpu = 0, sum = 0, all;
  for (int round = atoi(argv[1]); round > 0; --round) {
    const double before = CpuSeconds();
    sum += Compute(400000 * (1 + (rank + round) % 3));
    cpu += CpuSeconds() - before;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  char name[32];
  snprintf(name, sizeof name, "cpu.%d", rank);
  FILE* file = fopen(name, "w");
  fprintf(file, "%.9f %.9f\n", cpu, CpuSeconds() - start);
  fclose(file);
  MPI_Finalize();
  return all > 0 ? 0 : 1;
}
