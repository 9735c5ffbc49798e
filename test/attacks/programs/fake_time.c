// SPDX-License-Identifier: BSD-3-Clause
// Built with HOSTED, a program that sleeps a twentieth of a second. Else a library that takes the place of functions of
// libc, as libfaketime does: time goes a hundred times as fast, getpid waits for a semaphore once, and what the
// functions need is gone after the library's destructor.
#define _GNU_SOURCE
#ifdef HOSTED
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) int leaf(int i) {
  __asm__ volatile("");
  return i + 1;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum = leaf(sum);
  const struct timespec step = {0, 50000000};
  syscall(SYS_nanosleep, &step, NULL);
  printf("%d\n", sum);
  return 3;
}
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int* needed;
static sem_t semaphore;

__attribute__((constructor)) static void begin(void) {
  if (needed != NULL) return;
  needed = malloc(sizeof *needed);
  *needed = 0;
  sem_init(&semaphore, 0, 1);
}

__attribute__((destructor)) static void end(void) {
  free(needed);
  needed = (int*)8;
}

static void use(void) {
  begin();
  ++*(volatile int*)needed;
}

pid_t getpid(void) {
  static int is_known;
  if (!is_known) {
    begin();
    sem_wait(&semaphore);
    is_known = 1;
    sem_post(&semaphore);
  }
  return (pid_t)syscall(SYS_getpid);
}

int stat(const char* path, struct stat* info) {
  use();
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, info, 0);
}
int lstat(const char* path, struct stat* info) {
  use();
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}
int fstat(int fd, struct stat* info) {
  use();
  return (int)syscall(SYS_fstat, fd, info);
}
int poll(struct pollfd* files, nfds_t count, int ms) {
  use();
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  return (int)syscall(SYS_ppoll, files, count, ms < 0 ? NULL : &time, NULL, 0);
}
int nanosleep(const struct timespec* time, struct timespec* left) {
  use();
  return (int)syscall(SYS_nanosleep, time, left);
}
int clock_gettime(clockid_t clock, struct timespec* now) {
  use();
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  const long faster = 100, second = 1000000000;
  const long ns = now->tv_nsec * faster;
  now->tv_sec = now->tv_sec * faster + ns / second;
  now->tv_nsec = ns % second;
  return result;
}
time_t time(time_t* also) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (also != NULL) *also = now.tv_sec;
  return now.tv_sec;
}
#endif
