// SPDX-License-Identifier: BSD-3-Clause
// The cheapest clock of this processor, read as EPIK reads it: without a fence.
#ifndef EPIK_BENCH_FLOORS_TICKS_H_
#define EPIK_BENCH_FLOORS_TICKS_H_

#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t ReadTicks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "no tick counter is known for this processor"
#endif
}

#endif  // EPIK_BENCH_FLOORS_TICKS_H_
