// SPDX-License-Identifier: BSD-3-Clause
// What every guest program shares: cases by name.
#ifndef EPIK_TEST_GUESTS_PROGRAMS_GUEST_H_
#define EPIK_TEST_GUESTS_PROGRAMS_GUEST_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BARE __attribute__((no_instrument_function, noinline))
#define MEASURED __attribute__((noinline))

struct guest_case {
  const char* name;
  int (*run)(void);
};

static int guest_argc;
static char** guest_argv;

// The n-th word after the case's name, as a number.
BARE static inline long guest_number(int n, long otherwise) {
  return guest_argc > n + 1 ? atol(guest_argv[n + 1]) : otherwise;
}

BARE static inline int guest_main(int argc, char** argv, const struct guest_case* cases) {
  guest_argc = argc;
  guest_argv = argv;
  for (; argc > 1 && cases->name != NULL; ++cases) {
    if (strcmp(cases->name, argv[1]) == 0) return cases->run();
  }
  fprintf(stderr, "no such case\n");
  return 99;
}

#endif  // EPIK_TEST_GUESTS_PROGRAMS_GUEST_H_
