// SPDX-License-Identifier: BSD-3-Clause
// Visits of Crew in which other threads work: three in a parallel region, one that is created. Then threads one after
// the other, each in the place of the one before, with a visit of their own.
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

volatile int sink;

// Long enough for every clock: some processors' counters move in steps of 10 ns.
#define WORK(n)                                      \
  __attribute__((noinline)) void Work##n(void) {     \
    for (int i = 0; i < 500; ++i) sink = sink + (n); \
  }
WORK(1)
WORK(2)
WORK(3)
WORK(4)

static void Run(long visit) {
  void (*const work[])(void) = {Work1, Work2, Work3, Work4};
  work[visit - 1]();
}

static void* Created(void* visit) {
  Run((long)visit);
  return NULL;
}

__attribute__((noinline)) void Own(void) { ++sink; }

__attribute__((noinline)) void Crew(long visit) {
  if (visit == 0) return Own();
#pragma omp parallel num_threads(3)
  Run(visit);
  pthread_t thread;
  if (pthread_create(&thread, NULL, Created, (void*)visit) != 0) abort();
  pthread_join(thread, NULL);
}

static void* Alone(void* unused) {
  Crew(0);
  return unused;
}

int main(int argc, char** argv) {
  const int visits = argc > 1 ? atoi(argv[1]) : 4;
  for (long visit = 1; visit <= visits; ++visit) Crew(visit);
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, Alone, NULL) != 0) abort();
    pthread_join(thread, NULL);
  }
  return 0;
}
