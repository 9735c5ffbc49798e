// SPDX-License-Identifier: BSD-3-Clause
// An allocator's mmap, like tcmalloc's: each call looks at a table that the first call makes.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_made;

static void make_table(void) { is_made = 1; }

void* mmap(void* start, size_t bytes, int rights, int flags, int fd, off_t at) {
  pthread_once(&once, make_table);
  if (!is_made) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, start, bytes, rights, flags, fd, at);
}

void* mmap64(void* start, size_t bytes, int rights, int flags, int fd, off_t at) {
  return mmap(start, bytes, rights, flags, fd, at);
}

__attribute__((constructor)) static void begin(void) {
  mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
