/* SPDX-License-Identifier: BSD-3-Clause */
/* A recursion as deep as asked, on a stack of its own.     deep LEVELS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long calls;

void Deep(long levels) {
  if (levels > 0) Deep(levels - 1);
  ++calls;
}

static void *Start(void *levels) {
  Deep(*(long *)levels);
  return NULL;
}

int main(int argc, char **argv) {
  long levels = argc > 1 ? atol(argv[1]) : 1000;
  pthread_attr_t large;
  pthread_t thread;
  pthread_attr_init(&large);
  if (pthread_attr_setstacksize(&large, (size_t)2 << 30) != 0) return 2;
  if (pthread_create(&thread, &large, Start, &levels) != 0) return 3;
  pthread_join(thread, NULL);
  printf("%ld\n", calls);
  return 0;
}
