// SPDX-License-Identifier: BSD-3-Clause
// Reads a counter of the processor without a system call. A page of memory, shared with the kernel, tells which
// register has the counter and what to add to it; the kernel may change both at any time.
#ifndef EPIK_RUNTIME_METRICS_PERF_PAGE_H_
#define EPIK_RUNTIME_METRICS_PERF_PAGE_H_

#include <linux/perf_event.h>

#include <cstdint>

namespace epik::metrics {

#if defined(__x86_64__)
constexpr bool kHasRegisters = true;
inline uint64_t ReadRegister(uint32_t number) { return __builtin_ia32_rdpmc(static_cast<int>(number)); }
#else
constexpr bool kHasRegisters = false;
inline uint64_t ReadRegister(uint32_t) { return 0; }
#endif

// False: the counter is in no register now, or not always, or programs may not read it: then ask the kernel.
template <class ReadRegister>
bool ReadPage(const volatile perf_event_mmap_page* page, ReadRegister read_register, uint64_t* value) {
  constexpr int kTries = 8;  // the kernel changes it when the thread is scheduled, not more often
  for (int i = 0; i < kTries; ++i) {
    const uint32_t before = page->lock;
    __asm__ volatile("" ::: "memory");
    const uint32_t index = page->index;
    const bool whole = page->time_enabled == page->time_running;
    if (page->cap_user_rdpmc == 0 || index == 0 || !whole || page->pmc_width == 0) return false;
    const unsigned unused = 64u - page->pmc_width;
    const auto offset = static_cast<uint64_t>(page->offset);
    const uint64_t raw = read_register(index - 1);
    // The register is narrower than 64 bits: extend its sign.
    const uint64_t extended = static_cast<uint64_t>(static_cast<int64_t>(raw << unused) >> unused);
    __asm__ volatile("" ::: "memory");
    if (page->lock != before) continue;
    *value = offset + extended;
    return true;
  }
  return false;
}

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_PERF_PAGE_H_
