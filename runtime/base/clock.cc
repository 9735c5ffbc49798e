// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/clock.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace epik::base {

bool clock_is_tsc = false;

uint64_t MonotonicRawNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

#if defined(__x86_64__)
bool TscIsInvariant() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0) return true;
  // A virtual machine may hide the bit although its kernel itself keeps time by the TSC.
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char name[8] = {};
  const ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n >= 4 && std::memcmp(name, "tsc\n", 4) == 0;
}

bool ReadingHidesLittle() {
  unsigned highest = 0, vendor[3] = {};
  return clock_is_tsc && __get_cpuid(0, &highest, &vendor[0], &vendor[2], &vendor[1]) != 0 &&
         std::memcmp(vendor, "GenuineIntel", sizeof vendor) == 0;
}
#elif defined(__aarch64__)
bool TscIsInvariant() { return true; }  // the generic timer is architecturally constant
bool ReadingHidesLittle() { return false; }
#else
bool TscIsInvariant() { return false; }
bool ReadingHidesLittle() { return false; }
#endif

ClockPair ReadClockPair() {
  ClockPair best{0, 0};
  uint64_t tightest = ~uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = Now();
    const uint64_t ns = MonotonicRawNs();
    const uint64_t after = Now();
    if (after - before < tightest) {
      tightest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

}  // namespace epik::base
