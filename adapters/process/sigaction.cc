// SPDX-License-Identifier: BSD-3-Clause
// Hides the handlers that rescue the measurement: a program that asks for a signal's disposition sees its own.
#include <dlfcn.h>
#include <signal.h>

#include "runtime/base/compiler.h"
#include "runtime/endings/last_signal.h"

namespace {

using Handler = void (*)(int);
using SignalFunction = Handler (*)(int, Handler);

SignalFunction Real(const char* name) { return reinterpret_cast<SignalFunction>(dlsym(RTLD_NEXT, name)); }

Handler SetThrough(SignalFunction real, int signal, Handler handler) {
  if (real == nullptr) return SIG_ERR;
  const Handler old = real(signal, handler);
  if (old != SIG_ERR && handler == SIG_DFL) epik::episode::WatchAgain(signal);
  return epik::episode::IsOurHandler(old) ? SIG_DFL : old;
}

}  // namespace

extern "C" {

EPIK_EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  static const auto real = reinterpret_cast<decltype(&sigaction)>(dlsym(RTLD_NEXT, "sigaction"));
  if (real == nullptr) return -1;
  const bool to_default = action != nullptr && (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler == SIG_DFL;
  const int result = real(signal, action, old);
  if (result == 0 && old != nullptr) epik::episode::HideOurHandler(old);
  if (result == 0 && to_default) epik::episode::WatchAgain(signal);
  return result;
}

// The older functions to set a handler. They differ in meaning, so each wrapper calls its own function of libc.
#define EPIK_SIGNAL_LIKE(name)                                     \
  EPIK_EXPORT Handler name(int signal, Handler handler) noexcept;  \
  EPIK_EXPORT Handler name(int signal, Handler handler) noexcept { \
    static const auto real = Real(#name);                          \
    return SetThrough(real, signal, handler);                      \
  }

EPIK_SIGNAL_LIKE(signal)
EPIK_SIGNAL_LIKE(bsd_signal)
EPIK_SIGNAL_LIKE(ssignal)
EPIK_SIGNAL_LIKE(sysv_signal)
EPIK_SIGNAL_LIKE(__sysv_signal)
EPIK_SIGNAL_LIKE(sigset)
}
