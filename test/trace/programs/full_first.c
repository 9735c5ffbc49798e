/* SPDX-License-Identifier: BSD-3-Clause */
/* The first thread that writes its trace finds no room in its file, the other one does. Then the process is killed. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static __thread volatile unsigned sink;

static void Leaf(unsigned n) { sink += n; }

static void* Work(void* argument) {
  for (unsigned i = 0; i < 200000; ++i) Leaf(i);
  return argument;
}

__attribute__((no_instrument_function)) static void LimitFiles(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) perror("setrlimit");
}

int main(void) {
  pthread_t thread;
  LimitFiles(0);
  pthread_create(&thread, NULL, Work, NULL);
  pthread_join(thread, NULL);
  LimitFiles(RLIM_INFINITY);
  Work(NULL);
  kill(getpid(), SIGKILL);
}
