// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_RUNTIME_BASE_SIGNAL_STACK_H_
#define EPIK_RUNTIME_BASE_SIGNAL_STACK_H_

#include <signal.h>

#include "runtime/base/system_call.h"

namespace epik::base {

// Returns the signal stack of this thread, which the program or EPIK has set. SS_DISABLE: nobody has set one. This asks
// the kernel, because EPIK wraps libc's function (adapters/process/sigaltstack.cc).
inline stack_t SignalStack() {
  stack_t present{};
  present.ss_flags = SS_DISABLE;
  SystemCall(SYS_sigaltstack, nullptr, &present);
  return present;
}

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_SIGNAL_STACK_H_
