// SPDX-License-Identifier: BSD-3-Clause
// Time in ticks, read twice for every call of the program. Ticks become seconds only at the end.
#ifndef EPIK_RUNTIME_BASE_CLOCK_H_
#define EPIK_RUNTIME_BASE_CLOCK_H_

#include <cstdint>

#include "runtime/base/compiler.h"

namespace epik::base {

enum class Timer : uint32_t { kMonotonic = 0, kTsc = 1 };

// The timer in use; set once, before the first event.
extern EPIK_HIDDEN bool clock_is_tsc;

uint64_t MonotonicRawNs();

// Whether the kernel or the CPU guarantees that the counter neither stops nor changes its speed.
bool TscIsInvariant();

// Whether the processor reads the timer in use so fast that a read hides little of the work around it. Intel's
// processors do.
bool ReadingHidesLittle();

// SettleClock: a processor may read the clock before earlier accesses to memory, some 80 ns too early. After this call
// it does not.
#if defined(__x86_64__)
EPIK_HOT uint64_t ReadTsc() { return __builtin_ia32_rdtsc(); }
inline void SettleClock() { __builtin_ia32_lfence(); }
#elif defined(__aarch64__)
EPIK_HOT uint64_t ReadTsc() {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
inline void SettleClock() { __asm__ volatile("isb" ::: "memory"); }
#else
EPIK_HOT uint64_t ReadTsc() { return MonotonicRawNs(); }
inline void SettleClock() {}
#endif

EPIK_HOT uint64_t Now() { return EPIK_LIKELY(clock_is_tsc) ? ReadTsc() : MonotonicRawNs(); }

// The same moment on the timer and on CLOCK_MONOTONIC_RAW: two of them give the scale.
struct ClockPair {
  uint64_t ticks;
  uint64_t ns;
};

// Takes the closest of a few tries, so that an interruption between the two reads does no harm.
ClockPair ReadClockPair();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_CLOCK_H_
