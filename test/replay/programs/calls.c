/* SPDX-License-Identifier: BSD-3-Clause
   Three threads that call functions, and nothing else. */
#include <pthread.h>
#include <stddef.h>

static volatile long sum;

static void leaf(long i) { sum += i; }
static void branch(long i) {
  leaf(i);
  if (i % 3 == 0) leaf(i);
}

static void* calls(void* unused) {
  for (long i = 0; i < 60000; ++i) branch(i);
  return unused;
}

int main(void) {
  pthread_t others[2];
  for (int t = 0; t < 2; ++t) pthread_create(&others[t], NULL, calls, NULL);
  calls(NULL);
  for (int t = 0; t < 2; ++t) pthread_join(others[t], NULL);
  return 0;
}
