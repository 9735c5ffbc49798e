// SPDX-License-Identifier: BSD-3-Clause
// Calls of a small function in one thread, in several with unequal shares (OpenMP), and in the processes of a job that
// meet now and then (built with -DWITH_MPI): "wall SECONDS" is how long that took.   spans MILLIONS
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#define NO_HOOK __attribute__((no_instrument_function))

NO_HOOK static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static __attribute__((noinline)) uint64_t Step(uint64_t x) {
  for (int i = 0; i < 8; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

static uint64_t Steps(long count) {
  uint64_t x = 1;
  for (long i = 0; i < count; ++i) x = Step(x);
  return x;
}

#ifdef WITH_MPI
static double Whole(long count) {
  int rank;
  double all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = Now();
  for (int round = 0; round < 5; ++round) {
    double mine = (double)Steps(count * (rank + 1) / 10);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const double took = Now() - begin;
  return rank == 0 ? took : -1;
}
#else
static double Whole(long count) {
  const double begin = Now();
  uint64_t all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
  for (int part = 1; part <= 4; ++part) all += Steps(count * part / 10);
  return all != 0 ? Now() - begin : 0;
}
#endif

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  const double took = Whole(1000000L * (argc > 1 ? atoi(argv[1]) : 1));
  if (took >= 0) printf("wall %.9f\n", took);
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
