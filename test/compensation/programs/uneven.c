/* SPDX-License-Identifier: BSD-3-Clause
   Two threads that call a tiny function, one of them a hundred times as often: uneven CALLS. */
#include <pthread.h>
#include <stdlib.h>

static volatile unsigned sums[2][64];

__attribute__((noinline)) static void tiny(int thread, unsigned i) { sums[thread][i % 64] += i; }

static unsigned calls;
static int begun; /* threads. None ends before both have: otherwise one could have the place of the other one */

static void* often(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  for (unsigned i = 0; i < calls; ++i) tiny(0, i);
  while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) != 2) continue;
  return unused;
}

static void* seldom(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  for (unsigned i = 0; i < calls / 100; ++i) tiny(1, i);
  while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) != 2) continue;
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[2];
  calls = argc > 1 ? (unsigned)atoi(argv[1]) : 1000000;
  pthread_create(&threads[0], NULL, often, NULL);
  pthread_create(&threads[1], NULL, seldom, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
