// SPDX-License-Identifier: BSD-3-Clause
// Wraps swapcontext and setcontext, so that we see when a program switches to another stack. Contexts that makecontext
// made have the bounds of their stacks. Without these wrappers, the next event on the other stack shows the switch
// (runtime/fibers).
#include <features.h>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

#include <dlfcn.h>
#include <ucontext.h>

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/fibers/fibers.h"

namespace {

#if defined(__x86_64__)
uint64_t StackOf(const ucontext_t* context) { return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RSP]); }
#else
uint64_t StackOf(const ucontext_t* context) { return context->uc_mcontext.sp; }
#endif

void Announce(const ucontext_t* context) {
  const uint64_t stack = StackOf(context);
  // If makecontext did not make the context, these fields may hold anything.
  const auto begin = reinterpret_cast<uint64_t>(context->uc_stack.ss_sp);
  const bool is_within = stack >= begin && stack - begin < context->uc_stack.ss_size;
  epik::fibers::SwitchStack(
      stack, is_within ? epik::fibers::Range{begin, begin + context->uc_stack.ss_size} : epik::fibers::Range{});
}

using Swap = int (*)(ucontext_t*, const ucontext_t*);
using Set = int (*)(const ucontext_t*);
Swap real_swap = nullptr;
Set real_set = nullptr;

// Looks them up early: a signal handler may be the first to switch, and dlsym is not async-signal-safe.
__attribute__((constructor)) void FindReal() {
  if (real_swap != nullptr) return;
  real_swap = reinterpret_cast<Swap>(dlsym(RTLD_NEXT, "swapcontext"));
  real_set = reinterpret_cast<Set>(dlsym(RTLD_NEXT, "setcontext"));
}

}  // namespace

extern "C" {

// The frame of this wrapper stays on the stack that is left, like that of any function that returns later. A jump to
// libc's function would leave no frame, and the kept stack would begin at the caller's own frame.
EPIK_EXPORT int swapcontext(ucontext_t* from, const ucontext_t* to) noexcept {
  FindReal();
  Announce(to);
  const int status = real_swap(from, to);
  __asm__ volatile("");
  return status;
}

EPIK_EXPORT int setcontext(const ucontext_t* to) noexcept {
  FindReal();
  Announce(to);
  return real_set(to);
}
}

#endif
