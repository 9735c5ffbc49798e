// SPDX-License-Identifier: BSD-3-Clause
#include <cpuid.h>
#include <x86intrin.h>

#include "tools/epk/doctor/tsc.h"

namespace epik::epk::doctor {

bool TscPresent() { return true; }

bool TscInvariant() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kPowerManagement = 0x80000007, kInvariantTsc = 1u << 8;
  return __get_cpuid(kPowerManagement, &eax, &ebx, &ecx, &edx) != 0 && (edx & kInvariantTsc) != 0;
}

uint64_t ReadTsc() { return __rdtsc(); }

}  // namespace epik::epk::doctor
