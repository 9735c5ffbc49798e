/* SPDX-License-Identifier: BSD-3-Clause
   Delays that are passed on: rank 0 assembles, rank 1 waits for that, rank 2 waits for rank 1, rank 3 waits for all at
   the barrier. Then rank 3 refines, and all wait for it. Each process notes when it worked, and how long its first wait
   was. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

static int rank;
static FILE* log_file;

OUT static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Sleeps: processors are few, and others wait actively. */
OUT static void work(const char* name, int milliseconds) {
  const long long begin = now(), end = begin + milliseconds * 1000000LL;
  struct timespec t = {end / 1000000000LL, end % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) continue;
  fprintf(log_file, "%s %lld %lld\n", name, begin, now());
}

static void assemble(void) { work("assemble", 120); }
static void refine(void) { work("refine", 80); }

static void chain(void) {
  int x = 0;
  MPI_Request request;
  if (rank == 0) {
    assemble();
    MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&x, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
  } else if (rank == 2) {
    MPI_Irecv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void together(void) {
  int x = 0, y = 0;
  if (rank == 3) refine();
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  char name[32];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "chain.%d.log", rank);
  log_file = fopen(name, "w");
  MPI_Barrier(MPI_COMM_WORLD);
  chain();
  together();
  fclose(log_file);
  MPI_Finalize();
  return 0;
}
