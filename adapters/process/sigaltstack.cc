// SPDX-License-Identifier: BSD-3-Clause
// Hides the signal stack that EPIK lends to a thread: a program that set no signal stack reads SS_DISABLE from
// sigaltstack. When the program gives up its own stack, EPIK lends the thread one again.
#include <dlfcn.h>
#include <signal.h>

#include "runtime/base/compiler.h"
#include "runtime/base/signal_stack.h"
#include "runtime/endings/signal_stack.h"

namespace {

// Looked up early: a forked child may not ask the loader (runtime/base/forked.h).
decltype(&sigaltstack) real = nullptr;

__attribute__((constructor)) void FindReal() {
  if (real == nullptr) real = reinterpret_cast<decltype(real)>(dlsym(RTLD_NEXT, "sigaltstack"));
}

}  // namespace

EPIK_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  FindReal();
  const stack_t lent = epik::endings::LentStack();
  if ((lent.ss_flags & SS_DISABLE) != 0) return real(stack, old);
  stack_t present = epik::base::SignalStack();
  const bool is_lent = present.ss_sp == lent.ss_sp;
  const bool gives_up = stack != nullptr && (stack->ss_flags & SS_DISABLE) != 0;
  const bool changes = stack != nullptr && !(gives_up && is_lent);
  if (changes && real(gives_up ? &lent : stack, nullptr) != 0) return -1;
  if (old == nullptr) return 0;
  if (is_lent) {
    present = {};
    present.ss_flags = SS_DISABLE;
  }
  *old = present;
  return 0;
}
