// SPDX-License-Identifier: BSD-3-Clause
// Some ranks call functions with counts of int, others those with MPI_Count: they are the same operations.
#include <mpi.h>
#include <stdio.h>

enum { kMost = 64, kRounds = 60 };

static int rank, size, failures;

static void Check(int good, const char* what, int round) {
  if (good) return;
  ++failures;
  fprintf(stderr, "rank %d: %s of round %d\n", rank, what, round);
}

#define CALL(large, name, ...) ((large) ? MPI_##name##_c(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

static void Round(int round) {
  const int large = (rank + round) % 2, root = round % size;
  long given = 10 * round + rank, got = -1, all[kMost];
  const long sum = 10L * round * size + size * (size - 1L) / 2;
  long sent[2] = {rank == root ? round : -1, rank == root ? 7 * round : -1};
  CALL(large, Bcast, sent, 2, MPI_LONG, root, MPI_COMM_WORLD);
  Check(sent[0] == round && sent[1] == 7 * round, "MPI_Bcast", round);
  CALL(large, Allreduce, &given, &got, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  Check(got == sum, "MPI_Allreduce", round);
  got = -1;
  CALL(large, Reduce, &given, &got, 1, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
  Check(got == (rank == root ? sum : -1), "MPI_Reduce", round);
  for (int r = 0; r < size; ++r) all[r] = -1;
  CALL(large, Gather, &given, 1, MPI_LONG, all, 1, MPI_LONG, root, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) Check(all[r] == (rank == root ? 10L * round + r : -1), "MPI_Gather", round);
  for (int r = 0; r < size; ++r) all[r] = -1;
  all[rank] = given;
  CALL(large, Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_LONG, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) Check(all[r] == 10L * round + r, "MPI_Allgather", round);
}

// More elements than an int counts, without any data, and none at all.
static void NoData(void) {
  MPI_Datatype empty;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  int untouched = 42;
  if (rank % 2 == 1)
    MPI_Bcast_c(&untouched, 3000000000, empty, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(&untouched, 0, MPI_INT, 0, MPI_COMM_WORLD);
  Check(untouched == 42, "no data", 0);
  MPI_Type_free(&empty);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < kRounds; ++round) Round(round);
  NoData();
  int all = 0;
  PMPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", all == 0 ? "as expected" : "wrong");
  MPI_Finalize();
  return failures != 0;
}
