// SPDX-License-Identifier: BSD-3-Clause
// Sends 8 bytes to and fro between two processes. With one more argument: reduces 8 bytes over all instead (reduce),
// does so over two communicators in turn (gsum), or computes about as long before (compute). Prints the wall time of
// one round in ns, of the fastest of ten parts, because other processes on the core can only add time.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static MPI_Comm other;
static unsigned numbers[512];

static void Exchange(void) {
  double x = rank;
  if (rank == 0) {
    MPI_Send(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

static void Reduce(void) {
  double x = rank, sum = 0;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void GlobalSum(void) {
  double x = rank, sum = 0;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, other);
}

// Sorts by counting: a microsecond, as an allreduce between two processes of a machine takes.
static void ComputeAndReduce(void) {
  unsigned counts[256] = {0};
  for (unsigned i = 0; i < 512; ++i) ++counts[(numbers[i] = numbers[i] * 1664525u + 1013904223u + i) >> 24];
  unsigned at = 0;
  for (unsigned value = 0; value < 256; ++value) {
    for (unsigned n = counts[value]; n > 0; --n) numbers[at++ & 511] ^= value;
  }
  Reduce();
}

int main(int argc, char** argv) {
  enum { kParts = 10 };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long rounds = argc > 1 ? atol(argv[1]) / kParts : 1000;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  const char* what = argc > 2 ? argv[2] : "";
  void (*once)(void) = argc > 2 ? Reduce : Exchange;
  if (strcmp(what, "gsum") == 0) once = GlobalSum;
  if (strcmp(what, "compute") == 0) once = ComputeAndReduce;
  for (long i = 0; i < rounds / 2; ++i) once();
  double least = 1e9;
  for (int part = 0; part < kParts; ++part) {
    const double start = MPI_Wtime();
    for (long i = 0; i < rounds; ++i) once();
    const double taken = (MPI_Wtime() - start) / (double)rounds;
    if (taken < least) least = taken;
  }
  MPI_Finalize();
  if (rank == 0) printf("ns=%.2f\n", least * 1e9);
  return 0;
}
