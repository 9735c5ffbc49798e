// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_RUNTIME_BASE_SIGNAL_STACK_H_
#define EPIK_RUNTIME_BASE_SIGNAL_STACK_H_

#include <signal.h>

#include "runtime/base/system_call.h"

namespace epik::base {

// The signal stack of this thread, whoever has set it; SS_DISABLE: there is none. We cannot use libc's function: EPIK
// wraps it (adapters/process/sigaltstack.cc).
inline stack_t SignalStack() {
  stack_t present{};
  present.ss_flags = SS_DISABLE;
  SystemCall(SYS_sigaltstack, nullptr, &present);
  return present;
}

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_SIGNAL_STACK_H_
