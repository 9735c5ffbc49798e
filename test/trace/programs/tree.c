/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that repeat and calls that do not, on any number of threads.     tree [ROUNDS [THREADS [END]]] */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostThreads = 16 };

static __thread volatile unsigned sink;
static long rounds = 1000;

static void Leaf(unsigned n) {
  for (unsigned i = 0; i < n; ++i) sink += i;
}

static unsigned Fib(unsigned n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

static void Either(unsigned random) {
  if (random % 2 == 0) {
    Leaf(random % 64);
  } else {
    sink += Fib(random % 8);
  }
}

static void Round(uint32_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  for (unsigned i = 0; i < 3; ++i) Either(*state >> (8 * i));
}

static void* Work(void* argument) {
  uint32_t state = 2463534242u + (uint32_t)(uintptr_t)argument;
  for (long i = 0; i < rounds; ++i) Round(&state);
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atol(argv[1]) : rounds;
  const int threads = argc > 2 ? atoi(argv[2]) : 1;
  const char* end = argc > 3 ? argv[3] : "";
  pthread_t thread[kMostThreads];
  for (int i = 1; i < threads; ++i) pthread_create(&thread[i], NULL, Work, (void*)(uintptr_t)i);
  Work(NULL);
  for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
  if (strcmp(end, "exit") == 0) exit(0);
  if (strcmp(end, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(end, "segv") == 0) raise(SIGSEGV);
  return 0;
}
