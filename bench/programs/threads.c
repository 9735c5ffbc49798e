// SPDX-License-Identifier: BSD-3-Clause
// The leaf in two threads at once: shows the cost of anything that threads share.     threads [CALLS_EACH [THREADS]]
#include <pthread.h>

#include "bench/programs/bench.h"

enum { kMostThreads = 64 };

struct Worker {
  pthread_t thread;
  uint64_t calls;
  uint64_t cpu_ns;
  unsigned result;
};

static BENCH_CALLED unsigned Leaf(unsigned x) {
  BENCH_OPAQUE(x);
  return x + 1;
}

static void* Work(void* argument) {
  struct Worker* worker = argument;
  unsigned x = 0;
  const uint64_t start = ThreadNs();
  for (uint64_t i = 0; i < worker->calls; ++i) x = Leaf(x);
  worker->cpu_ns = ThreadNs() - start;
  worker->result = x;
  return NULL;
}

int main(int argc, char** argv) {
  const uint64_t calls = Argument(argc, argv, 1, 10000000);
  const uint64_t threads = Argument(argc, argv, 2, 2);
  static struct Worker workers[kMostThreads];
  if (threads > kMostThreads) return 2;
  for (uint64_t i = 0; i < threads; ++i) {
    workers[i].calls = calls;
    if (pthread_create(&workers[i].thread, NULL, Work, &workers[i]) != 0) return 2;
  }
  uint64_t cpu_ns = 0;
  int wrong = 0;
  for (uint64_t i = 0; i < threads; ++i) {
    pthread_join(workers[i].thread, NULL);
    cpu_ns += workers[i].cpu_ns;
    wrong += workers[i].result != (unsigned)calls;
  }
  Report("threads", "call", threads * calls, cpu_ns);
  return wrong != 0;
}
