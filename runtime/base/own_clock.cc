// SPDX-License-Identifier: BSD-3-Clause
// The clock of libc itself, for libepk.so and the libraries of its adapters (see own_calls.cc). libfaketime and its
// like make the clock of the program faster or slower, and EPIK measures real time.
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <time.h>

#include "runtime/base/compiler.h"
#include "runtime/base/system_call.h"

namespace {

int AskKernel(clockid_t clock, timespec* now) noexcept {
  return static_cast<int>(epik::base::SystemCall(SYS_clock_gettime, clock, now));
}

// Hooks call it where EPK_TIMER is not the TSC, so it is as short as the jump to another library.
decltype(&clock_gettime) real = AskKernel;

// Early: a forked child may not ask the loader (runtime/base/forked.h). Until then, the kernel is asked.
__attribute__((constructor)) void FindReal() {
  void* libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
  void* found = libc == nullptr ? nullptr : dlsym(libc, "clock_gettime");
  if (found != nullptr) real = reinterpret_cast<decltype(real)>(found);
}

}  // namespace

extern "C" {

EPIK_HIDDEN int clock_gettime(clockid_t clock, timespec* now) noexcept { return real(clock, now); }

EPIK_HIDDEN time_t time(time_t* also) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (also != nullptr) *also = now.tv_sec;
  return now.tv_sec;
}
}
