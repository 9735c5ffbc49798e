// SPDX-License-Identifier: BSD-3-Clause
// Keeps its own count of calls in a file that outlives it: killed at any moment, `begun` calls have been made and
// `ended` of them have returned.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

#define THREADS 4

struct counts {
  volatile unsigned long begun, ended;
  char room[48];
};
static struct counts* counts;
static volatile int sink;

void __cyg_profile_func_enter(void*, void*);
void __cyg_profile_func_exit(void*, void*);

// Many functions, made by the assembler.
__asm__(
    ".pushsection .text, \"ax\"; .type many, @function; many: .fill 4000000, 1, 0x90; .size many, . - many; "
    ".popsection");
extern char many[];

MEASURED void leaf(void) { sink = sink + 1; }

BARE static void call(struct counts* own) {
  own->begun = own->begun + 1;
  leaf();
  own->ended = own->ended + 1;
}

BARE static void call_new(struct counts* own, unsigned long n, int depth) {
  void* const key = many + (n * 5 + (unsigned long)depth) % 4000000;
  own->begun = own->begun + 1;
  __cyg_profile_func_enter(key, NULL);
  if (depth < 4) call_new(own, n, depth + 1);
  __cyg_profile_func_exit(key, NULL);
  own->ended = own->ended + 1;
}

MEASURED static int calls(void) {
  for (;;) call(&counts[0]);
}

MEASURED static int grows(void) {
  for (unsigned long n = 0;; ++n) call_new(&counts[0], n % 100000, 0);
}

MEASURED void* body(void* own) {
  for (unsigned long n = 0;; ++n) {
    call(own);
    if (n % 64 == 0) call_new(own, n / 64 + 17 * (unsigned long)((struct counts*)own - counts), 3);
  }
  return NULL;
}

MEASURED static int threads(void) {
  pthread_t all[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&all[i], NULL, body, &counts[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(all[i], NULL);
  return 0;
}

MEASURED void* short_body(void* own) {
  for (int i = 0; i < 10; ++i) call(own);
  return NULL;
}

// Threads come and go all the time.
MEASURED static int short_threads(void) {
  for (;;) {
    pthread_t all[THREADS];
    for (int i = 0; i < THREADS; ++i) pthread_create(&all[i], NULL, short_body, &counts[i]);
    for (int i = 0; i < THREADS; ++i) pthread_join(all[i], NULL);
  }
}

MEASURED static int finishes(void) {
  for (int i = 0; i < 1000; ++i) call(&counts[0]);
  for (unsigned long n = 0; n < 2000; ++n) call_new(&counts[0], n, 0);
  return 0;
}

// Computes on few call paths after its start, and keeps its CPU time.
BARE static void call_for(struct counts* own, unsigned long long least_ns) {
  struct timespec used;
  do {
    for (int i = 0; i < 1000; ++i) call(own);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    counts[8].begun = (unsigned long)used.tv_sec * 1000000000 + (unsigned long)used.tv_nsec;
  } while (counts[8].begun < least_ns);
}
MEASURED static void starts(void) { call_for(&counts[0], 200000000); }
MEASURED static int computes(void) {
  starts();
  call_new(&counts[0], 0, 4);
  call_for(&counts[0], ~0ull);
  return 0;
}

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {
      {"calls", calls},       {"grows", grows},       {"threads", threads}, {"short_threads", short_threads},
      {"finishes", finishes}, {"computes", computes}, {NULL, NULL}};
  const int fd = open("counts", O_RDWR | O_CREAT, 0666);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 98;
  counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (counts == MAP_FAILED) return 97;
  close(fd);
  return guest_main(argc, argv, cases);
}
