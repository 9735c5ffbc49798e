// SPDX-License-Identifier: BSD-3-Clause
// Shared by programs whose threads wait: their own clock, and work of a known length. They sleep for it, because other
// programs make a sleep hardly longer.
#ifndef EPIK_TEST_THREADS_PROGRAMS_SPEND_H_
#define EPIK_TEST_THREADS_PROGRAMS_SPEND_H_

#include <stdint.h>
#include <time.h>

#define UNMEASURED __attribute__((no_instrument_function))

UNMEASURED static int64_t Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

UNMEASURED static void Spend(int64_t ns) {
  for (const int64_t until = Now() + ns; Now() < until;) {
    const struct timespec time = {0, ns / 4};
    nanosleep(&time, NULL);
  }
}

#endif  // EPIK_TEST_THREADS_PROGRAMS_SPEND_H_
