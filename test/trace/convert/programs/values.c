/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics with fractions, and below 0; the first thread alone has a temperature. */
#include <pthread.h>

#include "epik/epik.h"

__attribute__((noinline)) static void Step(int number) {
  EPIK_METRIC("residual", "1", 1.0 / number);
  EPIK_METRIC("steps", "#", number);
  EPIK_METRIC("read", "bytes", 4096);
}

__attribute__((noinline)) static void* Work(void* unused) {
  for (int number = 1; number <= 3; ++number) Step(number);
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 2; ++i) EPIK_METRIC("temp", "K", -3.5);
  pthread_create(&thread, 0, Work, 0);
  pthread_join(thread, 0);
  Work(0);
  return 0;
}
