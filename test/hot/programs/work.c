// SPDX-License-Identifier: BSD-3-Clause
// Functions of known durations, called very often: they read the clock themselves and tell their total times.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline, noclone))

// Its total time, and the time of interrupted visits in it.
struct Took {
  double all, interrupted;
};
static __thread struct Took uniform, bimodal, phases;
static jmp_buf back;

QUIET static double Clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef __x86_64__
static double tick_s;
QUIET static double Now(void) { return (double)__builtin_ia32_rdtsc() * tick_s; }
QUIET static void Calibrate(void) {
  const double begin = Clock();
  const unsigned long long ticks = __builtin_ia32_rdtsc();
  while (Clock() - begin < 0.05) {
  }
  const double seconds = Clock() - begin;
  tick_s = seconds / (double)(__builtin_ia32_rdtsc() - ticks);
}
#else
QUIET static double Now(void) { return Clock(); }
QUIET static void Calibrate(void) {}
#endif

QUIET static void Spin(double seconds, struct Took *took) {
  const double begin = Now();
  double now = begin;
  while (now - begin < seconds) now = Now();
  took->all += now - begin;
  if (now - begin > 20e-6) took->interrupted += now - begin;
}

// The time of a call that Spin does not see: the least of some batches, for a function without hooks.
QUIET CALLED static void Unmeasured(struct Took *took) { Spin(600e-9, took); }
QUIET static double OfCalling(void) {
  enum { kBatches = 50, kCalls = 200 };
  double least = 1;
  for (int batch = 0; batch < kBatches; ++batch) {
    struct Took took = {0, 0};
    const double begin = Now();
    for (int i = 0; i < kCalls; ++i) Unmeasured(&took);
    const double seconds = (Now() - begin - took.all) / kCalls;
    if (seconds < least) least = seconds;
  }
  return least;
}

CALLED void Uniform(void) { Spin(600e-9, &uniform); }
CALLED void Bimodal(unsigned i) { Spin(i * 2654435761u >> 28 == 0 ? 8e-6 : 400e-9, &bimodal); }
CALLED void Phases(unsigned i, unsigned calls) { Spin(i / (calls / 3 + 1) == 1 ? 2400e-9 : 500e-9, &phases); }

CALLED void Inner(void) { __asm__ volatile(""); }
CALLED void Outer(void) {
  Inner();
  Inner();
}
CALLED void Recurse(int depth) {
  if (depth > 0) Recurse(depth - 1);
  __asm__ volatile("");
}
CALLED void Thrown(void) { longjmp(back, 1); }
CALLED void Throws(void) { Thrown(); }
CALLED void Caught(void) {
  if (setjmp(back) == 0) Throws();
}
CALLED void Handled(void) { __asm__ volatile(""); }
CALLED void Handler(int signal_number) {
  (void)signal_number;
  Handled();
}

CALLED void *Work(void *calls_of) {
  const unsigned calls = *(unsigned *)calls_of;
  for (unsigned i = 0; i < calls; ++i) Uniform();
  for (unsigned i = 0; i < calls; ++i) Bimodal(i);
  for (unsigned i = 0; i < calls; ++i) Phases(i, calls);
  return NULL;
}

CALLED void Tree(unsigned calls) {
  for (unsigned i = 0; i < calls; ++i) {
    Outer();
    if (i % 4 == 0) Recurse(5);
    if (i % 16 == 0) Caught();
    if (i % 64 == 0) raise(SIGUSR1);
  }
}

int main(int argc, char **argv) {
  unsigned calls = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
  struct sigaction action = {.sa_handler = Handler};
  sigaction(SIGUSR1, &action, NULL);
  Calibrate();
  if (strcmp(argv[1], "times") == 0) {
    const double calling = OfCalling() * calls;
    Work(&calls);
    printf("%.9f %.9f\n", uniform.all + calling, uniform.interrupted);
    printf("%.9f %.9f\n", bimodal.all + calling, bimodal.interrupted);
    printf("%.9f %.9f\n", phases.all + calling, phases.interrupted);
  } else if (strcmp(argv[1], "threads") == 0) {
    pthread_t other;
    pthread_create(&other, NULL, Work, &calls);
    Tree(calls);
    pthread_join(other, NULL);
  } else {
    Tree(calls);
    if (strcmp(argv[1], "killed") == 0) raise(SIGKILL);
  }
  return 0;
}
