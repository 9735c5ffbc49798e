/* SPDX-License-Identifier: BSD-3-Clause
   With visits:2, the trace has the last barrier of only one thread: the others had come to barriers before. */
#include <omp.h>
#include <time.h>

enum { kLateMs = 60 };

static void rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void be_late(void) {
  static volatile int comes;
  if (omp_get_thread_num() == 2) comes = 1;
  if (omp_get_thread_num() != 0) return;
  while (!comes) rest(1);
  rest(kLateMs);
}

static void meet(int threads, int times) {
#pragma omp parallel num_threads(threads)
  for (int i = 1; i <= times; ++i) {
    if (i == 2) be_late();
#pragma omp barrier
  }
}

int main(void) {
  meet(2, 1);
  meet(3, 2);
  return 0;
}
