/* SPDX-License-Identifier: BSD-3-Clause
   persistent ROUNDS MS: two persistent operations, which rank 0 starts in another order than the others, with an
   operation between that blocks. Rank 1 starts the reduction so late. An MPI without such operations: status 77. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#if MPI_VERSION < 4 && defined OPEN_MPI
#include <mpi-ext.h>
#endif
#if MPI_VERSION >= 4
#define REDUCTION(...) MPI_Allreduce_init(__VA_ARGS__)
#define BARRIER(...) MPI_Barrier_init(__VA_ARGS__)
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define REDUCTION(...) MPIX_Allreduce_init(__VA_ARGS__)
#define BARRIER(...) MPIX_Barrier_init(__VA_ARGS__)
#endif

#ifndef BARRIER
int main(void) { return 77; }
#else

static void Rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void WaitForBarrier(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }
static void WaitForSum(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

/* By a function that counts in MPI_Count, where MPI has it. */
#if MPI_VERSION >= 4
#define SUM(in, out) MPI_Allreduce_c(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
#else
#define SUM(in, out) MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
#endif

static void Round(int rank, int late_ms, MPI_Request* sum, MPI_Request* barrier) {
  int one = 1, all;
  if (rank == 0) {
    MPI_Start(sum);
    MPI_Start(barrier);
  } else {
    MPI_Start(barrier);
  }
  SUM(&one, &all);
  WaitForBarrier(barrier);
  if (rank == 1) Rest(late_ms);
  if (rank != 0) MPI_Start(sum);
  WaitForSum(sum);
}

int main(int argc, char** argv) {
  static int in = 1, out;
  int rank;
  MPI_Request sum, barrier;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  REDUCTION(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &sum);
  BARRIER(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
  for (int i = 0; i < atoi(argv[1]); ++i) Round(rank, atoi(argv[2]), &sum, &barrier);
  MPI_Request_free(&sum);
  MPI_Request_free(&barrier);
  MPI_Finalize();
  return 0;
}
#endif
