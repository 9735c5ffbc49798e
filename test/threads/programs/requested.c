// SPDX-License-Identifier: BSD-3-Clause
// Threads that are to be cancelled, and come to no cancellation point: they end as if nobody had asked.     requested
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static volatile long steps;

static void Step(void) { ++steps; }

static void* Run(void* cancelled_at) {
  struct timespec used;
  if (cancelled_at == NULL) pthread_cancel(pthread_self());
  do {
    for (int i = 0; i < 10000; ++i) Step();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  } while (used.tv_sec == 0 && used.tv_nsec < 5000000);
  if (cancelled_at != NULL) pthread_cancel(pthread_self());
  return "as it wanted";
}

int main(void) {
  for (int late = 0; late < 2; ++late) {
    pthread_t thread;
    void* result;
    pthread_create(&thread, NULL, Run, late ? "the end" : NULL);
    pthread_join(thread, &result);
    printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : (char*)result);
  }
  return 0;
}
