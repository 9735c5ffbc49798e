// SPDX-License-Identifier: BSD-3-Clause
// Runs a program and writes the kernel's counts for it to descriptor FD: wall time, CPU time, peak memory, status.
//
//   launch FD PRELOAD PROGRAM [ARGUMENT…]          PRELOAD: the program's LD_PRELOAD, "-" for none
//
// It is a small program of its own because peak memory starts from that of the parent, and Python's exceeds the
// targets.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

static int64_t Nanoseconds(struct timeval time) { return time.tv_sec * INT64_C(1000000000) + time.tv_usec * 1000; }

static int64_t WallNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: launch FD PRELOAD PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  const int fd = atoi(argv[1]);
  if (strcmp(argv[2], "-") != 0) setenv("LD_PRELOAD", argv[2], 1);
  const int64_t start = WallNs();
  pid_t child = 0;
  if (posix_spawn(&child, argv[3], NULL, NULL, argv + 3, environ) != 0) {
    perror(argv[3]);
    return 2;
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return 2;
  dprintf(fd, "wall_ns=%lld cpu_ns=%lld rss_kb=%ld status=%d\n", (long long)(WallNs() - start),
          (long long)(Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime)), usage.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
