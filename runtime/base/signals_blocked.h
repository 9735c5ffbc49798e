// SPDX-License-Identifier: BSD-3-Clause
// While we hold a lock, no signal handler of the program may run on this thread: it might jump away and keep the lock.
#ifndef EPIK_RUNTIME_BASE_SIGNALS_BLOCKED_H_
#define EPIK_RUNTIME_BASE_SIGNALS_BLOCKED_H_

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "runtime/base/system_call.h"

namespace epik::base {

constexpr uint64_t SignalBit(int signal) { return uint64_t{1} << (signal - 1); }

// Blocks all signals except those that an instruction itself causes, which would kill the process at once when blocked.
// It uses the bare system call, because libc keeps the signal of pthread_cancel out of every mask.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    constexpr uint64_t kFaults = SignalBit(SIGSEGV) | SignalBit(SIGBUS) | SignalBit(SIGFPE) | SignalBit(SIGILL) |
                                 SignalBit(SIGTRAP) | SignalBit(SIGSYS);
    Set(SIG_SETMASK, ~kFaults, &before_);
  }
  ~SignalsBlocked() { Set(SIG_SETMASK, before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  static void Set(int how, uint64_t mask, uint64_t* before) {
    const int saved_errno = errno;
    base::SystemCall(SYS_rt_sigprocmask, how, &mask, before, sizeof mask);
    errno = saved_errno;
  }

  uint64_t before_ = 0;
};

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_SIGNALS_BLOCKED_H_
