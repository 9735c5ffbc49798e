/* SPDX-License-Identifier: BSD-3-Clause
   Waits of threads, of known kinds. Each thread notes when it came to each place of waiting. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

enum { kThreads = 3 };
static FILE* log_file;
static struct { long long began, ended; } spans[kThreads];

OUT static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

OUT static void rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

OUT static void write_down(const char* experiment) {
  for (int i = 0; i < kThreads; ++i) {
    if (spans[i].began == 0) continue;
    fprintf(log_file, "%s %d %lld %lld\n", experiment, i, spans[i].began, spans[i].ended);
    spans[i].began = spans[i].ended = 0;
  }
}

static void explicit_barrier(void) {
#pragma omp parallel num_threads(3)
  {
    const int me = omp_get_thread_num();
    if (me == 2) rest(50);
    if (me == 1) rest(20);
    spans[me].began = now();
#pragma omp barrier
    spans[me].ended = now();
  }
}

static void end_of_region(void) {
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    if (me == 1) rest(40);
    spans[me].began = now();
  }
  spans[0].ended = spans[1].ended = now();
}

static void end_of_loop(void) {
#pragma omp parallel num_threads(3)
  {
    const int me = omp_get_thread_num();
#pragma omp for schedule(static, 1)
    for (int i = 0; i < kThreads; ++i) {
      if (i == 0) rest(45);
      spans[me].began = now();
    }
    spans[me].ended = now();
  }
}

/* The others wait for the value of the thread that has the single. */
static void copied(void) {
  int value = 0;
#pragma omp parallel num_threads(3) firstprivate(value)
  {
    const int me = omp_get_thread_num();
    if (me != 0) rest(10);
    spans[me].began = now();
#pragma omp single copyprivate(value)
    {
      rest(55);
      value = 1;
      spans[me].began = now();
    }
    spans[me].ended = now();
  }
}

static void held(void) {
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    if (me == 1) rest(15);
    spans[me].began = now();
#pragma omp critical
    {
      if (me == 0) {
        rest(60);
        spans[me].ended = now();
      } else {
        spans[me].ended = now();
      }
    }
  }
}

int main(void) {
  log_file = fopen("planted_omp.log", "w");
  explicit_barrier();
  write_down("explicit_barrier");
  end_of_region();
  write_down("end_of_region");
  end_of_loop();
  write_down("end_of_loop");
  copied();
  write_down("copied");
  held();
  write_down("held");
  fclose(log_file);
  return 0;
}
