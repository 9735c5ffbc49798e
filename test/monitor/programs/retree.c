// SPDX-License-Identifier: BSD-3-Clause
// Sums whose bits tell along which tree they were computed: retree PARENTS OTHERS. Ends when all sums have had the bits
// of the second tree for a while.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64, kAfter = 300, kPatience = 5000000 };

static int size;

static void Parse(char* text, int* parents) {
  int at = 0;
  for (char* word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
    parents[at++] = *word == '-' ? -1 : atoi(word);
  }
}

static double SumOf(const int* parents, const double* values, int at) {
  double sum = values[at];
  for (int child = 0; child < size; ++child) {
    if (parents[child] == at) sum = sum + SumOf(parents, values, child);
  }
  return sum;
}

static double Expected(const int* parents, const double* values) {
  int top = 0;
  while (parents[top] >= 0) ++top;
  return SumOf(parents, values, top);
}

int main(int argc, char** argv) {
  int rank, failures = 0, after = 0, before[kMost], then[kMost];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Parse(argv[1], before);
  Parse(argv[2], then);
  double values[kMost];
  for (int r = 0; r < size; ++r) values[r] = r == 1 ? 1e16 : r == 2 ? -1e16 : 1;  // a 1 beside 1e16 is lost
  const double first = Expected(before, values), second = Expected(then, values);
  if (memcmp(&first, &second, sizeof first) == 0) return 2;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank == 0) printf("ready\n"), fflush(stdout);
  for (long i = 0; i < kPatience && after < kAfter; ++i) {
    double sum, least, most;
    MPI_Allreduce(&values[rank], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const int is_second = memcmp(&sum, &second, sizeof sum) == 0;
    if (!is_second && (after != 0 || memcmp(&sum, &first, sizeof sum) != 0)) ++failures;
    after += is_second;
    if (i % 50 != 0) continue;
    // The same on all ranks; other communicators go on, too.
    PMPI_Allreduce(&sum, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    PMPI_Allreduce(&sum, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (least != most) ++failures;
    int one = 1, members, all;
    MPI_Comm_size(half, &members);
    for (int k = 0; k < 10; ++k) {
      MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, half);
      if (all != members) ++failures;
    }
  }
  int all = 0;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&half);
  MPI_Finalize();
  if (rank == 0) printf("%s tree, %d failures\n", after == kAfter ? "another" : "no other", all);
  return all != 0;
}
