// SPDX-License-Identifier: BSD-3-Clause
// Asks the machine how fast it is at this moment, or keeps one of its processors busy.
//
//   probe time [MS]     works for so long in equal pieces: the fastest, the middle one, and how many took a tenth
//   longer probe busy [CPU]    works until its standard input ends, there alone
//
// A piece uses all arithmetic units of a core that there are and no memory. So it takes longer while another hardware
// thread of the core is at work, which neither the CPU time nor, in a virtual machine, the kernel shows.
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSteps = 20000, kMostPieces = 100000 };

static uint64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Four chains that do not wait for each other.
static uint64_t Work(uint64_t seed) {
  uint64_t a = seed, b = seed + 1, c = seed + 2, d = seed + 3;
  for (int i = 0; i < kSteps; ++i) {
    a = (a ^ (a << 7)) + 11;
    b = (b ^ (b << 9)) + 13;
    c = (c ^ (c << 5)) + 17;
    d = (d ^ (d << 3)) + 19;
  }
  return a ^ b ^ c ^ d;
}

static int Compare(const void* left, const void* right) {
  const uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
  return (a > b) - (a < b);
}

static int Time(uint64_t ms) {
  static uint64_t pieces[kMostPieces];
  int count = 0;
  volatile uint64_t result = 0;
  const uint64_t end = NowNs() + ms * 1000000u;
  for (uint64_t now = NowNs(); now < end && count < kMostPieces;) {
    result = Work(result);
    const uint64_t after = NowNs();
    pieces[count++] = after - now;
    now = after;
  }
  qsort(pieces, (size_t)count, sizeof *pieces, Compare);
  int slow = 0;
  for (int i = 0; i < count; ++i) slow += pieces[i] * 10 > pieces[0] * 11;
  printf("fastest_ns=%llu middle_ns=%llu slow=%.4f\n", (unsigned long long)pieces[0],
         (unsigned long long)pieces[count / 2], (double)slow / count);
  return 0;
}

static int Busy(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    perror("sched_setaffinity");
    return 2;
  }
  volatile uint64_t result = 0;
  struct pollfd input = {.fd = 0, .events = POLLIN};
  while (poll(&input, 1, 0) == 0) {
    for (int i = 0; i < 100; ++i) result = Work(result);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "time") == 0) return Time(argc > 2 ? strtoull(argv[2], NULL, 10) : 100);
  if (argc > 1 && strcmp(argv[1], "busy") == 0) return Busy(argc > 2 ? atoi(argv[2]) : 0);
  fprintf(stderr, "usage: probe time [MS] | probe busy [CPU]\n");
  return 2;
}
