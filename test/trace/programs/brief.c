/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that live one after the other and do next to nothing: most of what each logs is its begin and its end.
   brief alone|pool THREADS. "pool": each has a parallel region of two threads, whose second one ends with it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;
static int has_pool;

static void* live(void* nothing) {
  if (has_pool) {
#pragma omp parallel num_threads(2)
    ++sink;
  }
  return nothing;
}

int main(int argc, char** argv) {
  has_pool = argc > 1 && strcmp(argv[1], "pool") == 0;
  for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; --i) {
    pthread_t thread;
    pthread_create(&thread, NULL, live, NULL);
    pthread_join(thread, NULL);
  }
  return 0;
}
