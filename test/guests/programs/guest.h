// SPDX-License-Identifier: BSD-3-Clause
// Shared by all guest programs: cases by name.
#ifndef EPIK_TEST_GUESTS_PROGRAMS_GUEST_H_
#define EPIK_TEST_GUESTS_PROGRAMS_GUEST_H_

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BARE __attribute__((no_instrument_function, noinline))
#define MEASURED __attribute__((noinline))

struct guest_case {
  const char* name;
  int (*run)(void);
};

// The guest's own account of `spend`, in the file `truth` of its folder, which outlives any end: how often it was
// called, how long it took by clock reads at its begin and end, and by clock reads of its caller before and after it. A
// time that hooks measured lies between the two, even if other programs use the processor. All threads add to it.
struct guest_truth {
  long long calls, within_ns, around_ns;
};

BARE static inline long long guest_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

BARE static inline struct guest_truth* guest_truth(void) {
  static struct guest_truth* mapped;
  static struct guest_truth nowhere;
  struct guest_truth* truth = __atomic_load_n(&mapped, __ATOMIC_ACQUIRE);
  if (truth != NULL) return truth;
  const int fd = open("truth", O_RDWR | O_CREAT, 0666);
  void* place = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, sizeof *truth) == 0)
    place = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) close(fd);
  truth = place == MAP_FAILED ? &nowhere : (struct guest_truth*)place;
  __atomic_store_n(&mapped, truth, __ATOMIC_RELEASE);  // if two threads map it, both pages are the file's
  return truth;
}

MEASURED static void spend(struct guest_truth* truth) {
  const long long begin = guest_now_ns();
  long long now;
  do {
    now = guest_now_ns();
  } while (now - begin < 1000000);
  __atomic_fetch_add(&truth->within_ns, now - begin, __ATOMIC_RELAXED);
  __atomic_fetch_add(&truth->calls, 1, __ATOMIC_RELAXED);
}

BARE static inline void guest_spend(void) {
  struct guest_truth* truth = guest_truth();
  const long long before = guest_now_ns();
  spend(truth);
  __atomic_fetch_add(&truth->around_ns, guest_now_ns() - before, __ATOMIC_RELAXED);
}

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
