// SPDX-License-Identifier: BSD-3-Clause
// Recursion as deep as one likes, on a thread whose stack is large enough.     deep [DEPTH [ROUNDS]]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBytesPerFrame = 512 };  // also at -O0 with hooks

static long depth = 100000, rounds = 1;

__attribute__((noinline)) long Down(long left) {
  volatile long below = left > 1 ? Down(left - 1) : 0;  // volatile: work is left after the call, so it is no loop
  return below + 1;
}

void* Dive(void* result) {
  for (long round = 0; round < rounds; ++round) *(long*)result += Down(depth);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1) depth = atol(argv[1]);
  if (argc > 2) rounds = atol(argv[2]);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (1u << 20) + (size_t)depth * kBytesPerFrame);
  pthread_t thread;
  long result = 0;
  if (pthread_create(&thread, &attributes, Dive, &result) != 0) return 2;
  pthread_join(thread, NULL);
  printf("depth %ld\n", result);
  return 0;
}
