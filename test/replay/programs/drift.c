/* SPDX-License-Identifier: BSD-3-Clause
   Each step, rank 0 works a little longer before it sends, so that rank 1 waits a little longer. Then one thread stays
   in a critical section that another thread wants. The argument is the unit of time in milliseconds. Each notes when it
   came to each action. */
#include <epik/epik_user.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

enum { kSteps = 6 };
static FILE* log_file;
static int rank, unit;

OUT static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

OUT static void rest(int milliseconds) {
  const long long end = now() + milliseconds * 1000000LL;
  struct timespec t = {end / 1000000000LL, end % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) continue;
}

static void one_step(int step) {
  int x = step;
  if (rank == 0) rest(unit * (step + 1));
  const long long begin = now();
  if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, step, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  fprintf(log_file, "step%d %lld %lld\n", step, begin, now());
  /* Rank 0 does not run ahead. */
  MPI_Barrier(MPI_COMM_WORLD);
}

static void keep(void) { rest(6 * unit); }

static void contend(void) {
  volatile int held = 0;
  long long begin = 0, end = 0, freed = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp critical(door)
      {
        held = 1;
        keep();
        freed = now();
      }
    } else {
      while (!held) rest(1);
      begin = now();
#pragma omp critical(door)
      end = now();
    }
  }
  fprintf(log_file, "door %lld %lld\nfreed %lld %lld\n", begin, end, freed, freed);
}

int main(int argc, char** argv) {
  char name[32];
  EPIK_USER_REG(phase, "step");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unit = argc > 1 ? atoi(argv[1]) : 5;
  snprintf(name, sizeof name, "drift.%d.log", rank);
  log_file = fopen(name, "w");
  for (int step = 0; step < kSteps; ++step) {
    EPIK_PHASE_START(phase, step);
    one_step(step);
    EPIK_PHASE_END(phase);
  }
  contend();
  fclose(log_file);
  MPI_Finalize();
  return 0;
}
