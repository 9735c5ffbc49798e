// SPDX-License-Identifier: BSD-3-Clause
// Shared by all micro programs: CPU time of this thread or process, and the one line that they print.
//
// The helpers are inlined and never instrumented: between two readings only the program's own calls run.
#ifndef EPIK_BENCH_PROGRAMS_BENCH_H_
#define EPIK_BENCH_PROGRAMS_BENCH_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_HELPER static inline __attribute__((always_inline, no_instrument_function, unused))
// Marks a function that the compiler must really call: it may not inline, clone or drop it.
#ifdef __clang__
#define BENCH_CALLED __attribute__((noinline))
#else
#define BENCH_CALLED __attribute__((noinline, noclone))
#endif
// Makes the compiler believe that this value may have changed to any other.
#define BENCH_OPAQUE(value) __asm__ volatile("" : "+r"(value))

BENCH_HELPER uint64_t ClockNs(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

BENCH_HELPER uint64_t ThreadNs(void) { return ClockNs(CLOCK_THREAD_CPUTIME_ID); }

BENCH_HELPER uint64_t Argument(int argc, char** argv, int index, uint64_t otherwise) {
  return argc > index ? strtoull(argv[index], NULL, 10) : otherwise;
}

BENCH_HELPER uint32_t Random(uint32_t* state) {  // xorshift: the same order in every run
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

// `what`: the thing that is counted, usually "call".
BENCH_HELPER void Report(const char* program, const char* what, uint64_t count, uint64_t cpu_ns) {
  printf("program=%s per=%s count=%llu cpu_ns=%llu ns=%.3f\n", program, what, (unsigned long long)count,
         (unsigned long long)cpu_ns, count != 0 ? (double)cpu_ns / (double)count : 0.0);
}

#endif  // EPIK_BENCH_PROGRAMS_BENCH_H_
