// SPDX-License-Identifier: BSD-3-Clause
// Does a known amount of work, in several functions and on each of its threads: fake_papi.c counts it.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static __thread unsigned long done;
__attribute__((no_instrument_function)) unsigned long work_of_thread(void) { return done; }

__attribute__((noinline, noclone)) void inner(unsigned long much) { done += much; }

__attribute__((noinline, noclone)) void outer(unsigned long much) {
  done += 2 * much;
  inner(much);
  done += 3 * much;
}

static void* thread(void* much) {
  outer((unsigned long)(uintptr_t)much);
  return NULL;
}

int main(void) {
  done = 1000;
  outer(1);
  for (uintptr_t t = 1; t <= 2; ++t) {
    pthread_t one;
    if (pthread_create(&one, NULL, thread, (void*)(t * 10)) != 0) return 1;
    pthread_join(one, NULL);
  }
  return 0;
}
