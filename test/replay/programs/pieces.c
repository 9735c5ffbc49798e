/* SPDX-License-Identifier: BSD-3-Clause
   A thread waits in one barrier, in many pieces: for each task that the other thread creates, between tasks of its own.
   Then the other thread waits for a long task. */
#include <omp.h>
#include <time.h>

enum { kTasks = 20, kBetween = 5, kShort = 1, kLong = 60 }; /* milliseconds */
static volatile int begun;

__attribute__((no_instrument_function)) static void rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void prepare(void) { rest(kBetween); }
static void work(int milliseconds) {
  begun = 1;
  rest(milliseconds);
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      for (int task = 0; task <= kTasks; ++task) {
        prepare();
        begun = 0;
#pragma omp task firstprivate(task)
        work(task < kTasks ? kShort : kLong);
        while (!begun) rest(1);
      }
    }
  }
  return 0;
}
