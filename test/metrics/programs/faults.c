// SPDX-License-Identifier: BSD-3-Clause
// Touches fresh pages and waits, as often as its arguments tell: PAGES WAITS [THREADS]. Thread n (from 1)
// touches n times as many.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096
static char* fresh;
static long pages, waits;

__attribute__((noinline, noclone)) void touch(char* at, long count) {
  for (long i = 0; i < count; ++i) ((volatile char*)at)[i * PAGE] = 1;
}

__attribute__((noinline, noclone)) void nap(long count) {
  const struct timespec moment = {0, 200000};
  for (long i = 0; i < count; ++i) nanosleep(&moment, NULL);
}

__attribute__((noinline, noclone)) void work(long share) {
  touch(fresh + (share * (share - 1) / 2) * pages * PAGE, share * pages);
  nap(share * waits);
}

static void* thread(void* share) {
  work(0);  // so that the hooks' own first time is over
  work((long)share);
  return NULL;
}

int main(int argc, char** argv) {
  pages = argc > 1 ? atol(argv[1]) : 0;
  waits = argc > 2 ? atol(argv[2]) : 0;
  const long threads = argc > 3 ? atol(argv[3]) : 0;
  const size_t bytes = (size_t)((threads + 1) * (threads + 2) / 2 * pages + 1) * PAGE;
  fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return 1;
  madvise(fresh, bytes, MADV_NOHUGEPAGE);
  work(0);
  work(1);
  for (long t = 1; t <= threads; ++t) {
    pthread_t one;
    if (pthread_create(&one, NULL, thread, (void*)(t + 1)) != 0) return 1;
    pthread_join(one, NULL);
  }
  return 0;
}
