// SPDX-License-Identifier: BSD-3-Clause
// While we hold a lock, no signal handler of the program may run on this thread: it might jump away and keep the lock.
#ifndef EPIK_RUNTIME_BASE_SIGNALS_BLOCKED_H_
#define EPIK_RUNTIME_BASE_SIGNALS_BLOCKED_H_

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "runtime/base/system_call.h"

namespace epik::base {

constexpr uint64_t SignalBit(int signal) { return uint64_t{1} << (signal - 1); }

// Delays cancellation of the thread, which would leave locks and half-made things behind.
class CancellationOff {
 public:
  CancellationOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationOff() { pthread_setcancelstate(before_, nullptr); }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Blocks all signals except those that an instruction itself causes, which would kill the process at once when blocked.
// It uses the bare system call, because libc keeps the signal of pthread_cancel out of every mask. A function of libc
// that is a cancellation point might wait for that signal, so there is no cancellation either.
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

  CancellationOff uncancelled_;  // destroyed last: a thread that is cancelled then has given everything back
  uint64_t before_ = 0;
};

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_SIGNALS_BLOCKED_H_
