/* SPDX-License-Identifier: BSD-3-Clause
   For programs that plant waits: times at which a process comes to a call, and a log of the begins and ends of its
   calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

enum { kStep = 60, kLong = 24 }; /* milliseconds */
static int rank, ranks;
static long long origin; /* ns */
static FILE* log_file;
static const char* experiment;
static double begins;

OUT static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Sleeps: processors are few, and others wait actively. */
OUT static void until(double milliseconds) {
  const long long at = origin + (long long)(milliseconds * 1e6);
  struct timespec t = {at / 1000000000LL, at % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) continue;
}

OUT static void note(const char* call, long long begin) {
  fprintf(log_file, "%s %s %lld %lld\n", experiment, call, begin, now());
}

#define CALL(name, ...)            \
  do {                             \
    const long long begin = now(); \
    MPI_##name(__VA_ARGS__);       \
    note("MPI_" #name, begin);     \
  } while (0)

/* The late rank comes kLong after the others. */
OUT static void come(int late) { until(begins + (rank == late ? kLong : 0)); }

typedef void (*Experiment)(void);
struct Planted {
  const char* name;
  Experiment run;
};

OUT static void run_all(const struct Planted* all, size_t count) {
  char name[64];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(name, sizeof name, "planted.%d.log", rank);
  log_file = fopen(name, "w");
  origin = now() + 50000000LL;
  PMPI_Bcast(&origin, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  begins = 0;
  for (size_t i = 0; i < count; ++i, begins += kStep) {
    experiment = all[i].name;
    all[i].run();
  }
  fclose(log_file);
}
