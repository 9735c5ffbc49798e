/* SPDX-License-Identifier: BSD-3-Clause
   Operations of all with all in which rank 0 needs the data of all, and the last rank none of rank 0. Rank 0 calls a
   tiny function that measuring makes slow, so it comes last; without measurement the others come last.
   `some ROUNDS`. */
#include <mpi.h>
#include <stdlib.h>

#define OUT __attribute__((no_instrument_function))
#define SMALL __attribute__((noinline))
enum { kMost = 16 };

static volatile unsigned state = 1;
static int rank, ranks;
static int out[kMost], in[kMost], counts_out[kMost], counts_in[kMost], places[kMost], bytes[kMost];
static MPI_Datatype types[kMost];

SMALL void step(void) { state = state * 1664525u + 1013904223u; }
SMALL void work(int calls) {
  for (int i = 0; i < calls; ++i) step();
}
SMALL void compute(int turns) {
  for (int i = 0; i < turns; ++i) state = state * 1664525u + 1013904223u;
}
OUT static void uneven(int round) {
  if (rank == 0) {
    work(20 * (round % 20) + 100);
  } else {
    compute(1000);
  }
}

/* The call of `MPI_Test` that ends the operation is a point, too. */
SMALL void waits(MPI_Request* request, int round) {
  int done = 0;
  if (round % 2 == 0) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    return;
  }
  while (!done) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    compute(2000);
  }
}

OUT int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 4;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > kMost) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int r = 0; r < ranks; ++r) {
    counts_out[r] = rank != 0 || r != ranks - 1;
    counts_in[r] = r != 0 || rank != ranks - 1;
    places[r] = r;
    bytes[r] = r * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  for (int round = 0; round < rounds; ++round) {
    MPI_Request request;
    uneven(round);
    MPI_Alltoallv(out, counts_out, places, MPI_INT, in, counts_in, places, MPI_INT, MPI_COMM_WORLD);
    uneven(round);
    MPI_Alltoallw(out, counts_out, bytes, types, in, counts_in, bytes, types, MPI_COMM_WORLD);
    uneven(round);
    MPI_Ialltoallv(out, counts_out, places, MPI_INT, in, counts_in, places, MPI_INT, MPI_COMM_WORLD, &request);
    uneven(round);
    waits(&request, round);
  }
  MPI_Finalize();
  return 0;
}
