// SPDX-License-Identifier: BSD-3-Clause
// Barriers of OpenMP, each in a log of the guest's own: "THREAD KIND BEFORE AFTER", by the clock of
// EPK_TIMER=monotonic. Then it waits for a file "stop": barriers ROUNDS DELAY_MS. Thread 1 comes late to the first one.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static FILE* logged;

static long long Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void Rest(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

static void Log(const char* kind, long long before) {
  const long long after = Now();
  fprintf(logged, "%d %s %lld %lld\n", omp_get_thread_num(), kind, before, after);
}

static void Round(int i, int delay) {
  const int mine = omp_get_thread_num();
  if (i == 0 && mine == 1) Rest(delay);
  const long long before = Now();
#pragma omp barrier
  Log("barrier", before);
  volatile int sum = 0;
  const long long loop = Now();
#pragma omp for schedule(static)
  for (int k = 0; k < 8; ++k) sum += k;
  Log("static", loop);
  const long long dynamic = Now();
#pragma omp for schedule(dynamic)
  for (int k = 0; k < 8; ++k) sum += k;
  Log("dynamic", dynamic);
#pragma omp for nowait
  for (int k = 0; k < 8; ++k) sum += k;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1, delay = argc > 2 ? atoi(argv[2]) : 0;
  logged = fopen("log", "w");
#pragma omp parallel
  for (int i = 0; i < rounds; ++i) Round(i, delay);
  fclose(logged);
  fclose(fopen("started", "w"));
  while (access("stop", F_OK) != 0) Rest(10);
  return 0;
}
