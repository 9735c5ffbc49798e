// SPDX-License-Identifier: BSD-3-Clause
// A function that computes a chain of steps, called very often: a processor that waits for each step reads the clock
// meanwhile. Blocks of calls with hooks and blocks of calls without them take turns, so that both see the same machine.
// Prints the CPU time of both in seconds. Or it kills itself after CALLS calls with hooks, or kills itself or exits
// within the last one.     chain CALLS STEPS [killed|killed_within|exits_within]
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))
enum { kBlock = 2000 };

QUIET static double Cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int kills;
QUIET __attribute__((cold, noinline)) static void End(void) { kills ? (void)raise(SIGKILL) : exit(0); }
static const unsigned kEnds = ~0u;

#define STEPS                            \
  if (steps == kEnds) End();             \
  for (unsigned i = 0; i < steps; ++i) { \
    x = x * 1664525u + 1013904223u;      \
    __asm__ volatile("" : "+r"(x));      \
  }                                      \
  return x

__attribute__((noinline, noclone)) unsigned Chain(unsigned x, unsigned steps) { STEPS; }
QUIET __attribute__((noinline, noclone)) static unsigned Bare(unsigned x, unsigned steps) { STEPS; }

int main(int argc, char **argv) {
  const unsigned calls = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, steps = argc > 2 ? (unsigned)atoi(argv[2]) : 8;
  unsigned x = 1;
  double hooked = 0, bare = 0;
  if (argc > 3) {
    const int within = strstr(argv[3], "within") != NULL;
    kills = strstr(argv[3], "killed") != NULL;
    for (unsigned i = 0; i < calls; ++i) x = Chain(x, within && i + 1 == calls ? kEnds : steps);
    End();
  }
  for (unsigned done = 0; done < calls; done += kBlock) {
    const double begin = Cpu();
    for (unsigned i = 0; i < kBlock; ++i) x = Chain(x, steps);
    const double middle = Cpu();
    for (unsigned i = 0; i < kBlock; ++i) x = Bare(x, steps);
    hooked += middle - begin;
    bare += Cpu() - middle;
  }
  printf("%.6f %.6f\n", hooked, bare);
  __asm__ volatile("" : : "r"(x));
  return 0;
}
