/* SPDX-License-Identifier: BSD-3-Clause
   Dynamic loops of two threads, with long pieces, `first`, and other ones: lengths LOOPS FIRST_MS OTHER_MS. */
#include <stdlib.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

OUT static void work(double milliseconds) {
  struct timespec t = {0, (long)(milliseconds * 1e6)};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) != 0) continue;
}

static void first(double milliseconds) { work(milliseconds); }
static void other(double milliseconds) { work(milliseconds); }

int main(int argc, char** argv) {
  const int loops = argc > 3 ? atoi(argv[1]) : 1;
  for (int loop = 0; loop < loops; ++loop) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int piece = 0; piece < 6; ++piece) {
      if (piece % 3 == 0) first(atof(argv[2]));
      if (piece % 3 != 0) other(atof(argv[3]));
    }
  }
  return 0;
}
