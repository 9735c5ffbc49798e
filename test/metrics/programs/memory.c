// SPDX-License-Identifier: BSD-3-Clause
// Allocates and frees by every function there is, so that each count is known: BLOCKS THREADS.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define SINK(p) __asm__ volatile("" : : "r"(p) : "memory")

__attribute__((noinline, noclone)) void* make(size_t bytes) {
  void* block = malloc(bytes);
  SINK(block);
  return block;
}

__attribute__((noinline, noclone)) void drop(void* block) { free(block); }

// 3 blocks, 60 bytes; none is left.
__attribute__((noinline, noclone)) void balanced(void) {
  for (int i = 0; i < 3; ++i) drop(make(20));
}

// One block that grows: 3 blocks, 100 + 300 + 900 bytes, of which the first two are freed by realloc.
__attribute__((noinline, noclone)) void grow(void) {
  void* block = malloc(100);
  SINK(block);
  block = realloc(block, 300);
  SINK(block);
  block = realloc(block, 900);
  SINK(block);
  free(block);
}

// 5 blocks of 64 bytes by the others.
__attribute__((noinline, noclone)) void kinds(void) {
  void* blocks[5];
  blocks[0] = calloc(4, 16);
  blocks[1] = aligned_alloc(64, 64);
  blocks[2] = memalign(64, 64);
  blocks[3] = NULL;
  if (posix_memalign(&blocks[3], 64, 64) != 0) abort();
  blocks[4] = reallocarray(NULL, 8, 8);
  for (int i = 0; i < 5; ++i) {
    SINK(blocks[i]);
    free(blocks[i]);
  }
}

// `count` blocks of 1000 bytes that are never freed.
__attribute__((noinline, noclone)) void lose(long count) {
  for (long i = 0; i < count; ++i) SINK(malloc(1000));
}

static void* thread(void* count) {
  lose((long)(intptr_t)count);
  return NULL;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 0;
  const long threads = argc > 2 ? atol(argv[2]) : 0;
  balanced();
  grow();
  kinds();
  lose(count);
  for (long t = 1; t <= threads; ++t) {
    pthread_t one;
    if (pthread_create(&one, NULL, thread, (void*)(intptr_t)(t * count)) != 0) return 1;
    pthread_join(one, NULL);
  }
  return 0;
}
