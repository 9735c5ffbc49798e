/* SPDX-License-Identifier: BSD-3-Clause
   Two threads call functions with a lock and without it, or in `single` and outside of it: within WHICH ROUNDS
   INSIDE_MS OUTSIDE_MS. Both functions have the same caller. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNMEASURED __attribute__((no_instrument_function))

static omp_lock_t lock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double inside_ms, outside_ms;

/* Sleeps, so that it takes the same time on a busy machine. */
static UNMEASURED void work(double milliseconds) {
  struct timespec t = {0, (long)(milliseconds * 1e6)};
  while (nanosleep(&t, &t) != 0) continue;
}
static void inside(void) { work(inside_ms); }
static void outside(void) { work(outside_ms); }

static UNMEASURED void by_lock(int rounds) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < rounds; ++i) {
    outside();
    omp_set_lock(&lock);
    inside();
    omp_unset_lock(&lock);
  }
}

static UNMEASURED void by_mutex(int rounds) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < rounds; ++i) {
    outside();
    pthread_mutex_lock(&mutex);
    inside();
    pthread_mutex_unlock(&mutex);
  }
}

static UNMEASURED void by_single(int rounds) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < rounds; ++i) {
    outside();
#pragma omp single
    inside();
  }
}

int main(int argc, char** argv) {
  if (argc < 5) return 1;
  inside_ms = atof(argv[3]);
  outside_ms = atof(argv[4]);
  omp_init_lock(&lock);
  const int rounds = atoi(argv[2]);
  if (strcmp(argv[1], "lock") == 0) by_lock(rounds);
  if (strcmp(argv[1], "mutex") == 0) by_mutex(rounds);
  if (strcmp(argv[1], "single") == 0) by_single(rounds);
  return 0;
}
