// SPDX-License-Identifier: BSD-3-Clause
// THREADS threads that live at the same time, each of which calls `lives` once: alive THREADS.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t all;

__attribute__((noinline)) void lives(void) { __asm__ volatile(""); }

static void* Life(void* unused) {
  lives();
  pthread_barrier_wait(&all);
  return unused;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  pthread_t* threads = calloc((size_t)count, sizeof *threads);
  pthread_attr_t little;
  pthread_attr_init(&little);
  pthread_attr_setstacksize(&little, 128 << 10);
  pthread_barrier_init(&all, NULL, (unsigned)count + 1);
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], &little, Life, NULL) != 0) {
      printf("no thread %d\n", i);
      exit(77);
    }
  }
  pthread_barrier_wait(&all);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  return 0;
}
