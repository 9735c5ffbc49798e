/* SPDX-License-Identifier: BSD-3-Clause
 * Works until the file `stop` appears; keeps its own count of calls in the shared file `count`. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile long *count;

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }

__attribute__((noinline)) void work(void) {
  *count = *count + 1;
  for (int i = 0; i < 10; ++i) leaf();
}

__attribute__((noinline)) void rest(void) {
  const struct timespec pause = {0, 2000000};
  nanosleep(&pause, NULL);
}

static void *idle(void *unused) {
  while (access("stop", F_OK) != 0) rest();
  return unused;
}

int main(void) {
  pthread_t thread;
  const int fd = open("count", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 1;
  count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  pthread_create(&thread, NULL, idle, NULL);
  while (access("stop", F_OK) != 0) {
    for (int i = 0; i < 100; ++i) work();
    rest();
  }
  pthread_join(thread, NULL);
  printf("stopped\n");
  return 7;
}
