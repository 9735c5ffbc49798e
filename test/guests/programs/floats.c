// SPDX-License-Identifier: BSD-3-Clause
// Programs that read which floating-point exceptions were raised, or that are stopped at the first one.
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>

#include "guest.h"

static volatile int sink;
MEASURED void leaf(void) { sink = sink + 1; }
MEASURED void work(void) {
  for (int i = 0; i < 10; ++i) leaf();
}

// The sum of the squares of a function's times may be inexact.
static int raised(void) { return fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT); }

static void* in_thread(void* found) {
  *(int*)found = fetestexcept(FE_ALL_EXCEPT);
  work();
  *(int*)found |= raised();
  return NULL;
}

MEASURED static int reads_flags(void) {
  const int at_start = fetestexcept(FE_ALL_EXCEPT);
  int thread = 0;
  pthread_t other;
  pthread_create(&other, NULL, in_thread, &thread);
  work();
  pthread_join(other, NULL);
  printf("raised before main: %d, in a thread: %d, here: %d\n", at_start, thread, raised());
  return 0;
}

// Flags and the rounding mode stay as the program has set them.
MEASURED static int keeps_its_own(void) {
  feraiseexcept(FE_DIVBYZERO);
  fesetround(FE_UPWARD);
  work();
  pthread_t other;
  int thread = 0;
  pthread_create(&other, NULL, in_thread, &thread);
  pthread_join(other, NULL);
  printf("%d %d\n", raised() == FE_DIVBYZERO, fegetround() == FE_UPWARD);
  return 0;
}

static void* with_traps(void* nothing) {
  work();
  return nothing;
}

MEASURED static int traps(void) {
  feenableexcept(FE_ALL_EXCEPT & ~FE_INEXACT);
  pthread_t other;
  pthread_create(&other, NULL, with_traps, NULL);
  work();
  pthread_join(other, NULL);
  feenableexcept(FE_ALL_EXCEPT);
  exit(0);
}

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {
      {"reads_flags", reads_flags}, {"keeps_its_own", keeps_its_own}, {"traps", traps}, {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
