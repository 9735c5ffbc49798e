// SPDX-License-Identifier: BSD-3-Clause
// Hides the handlers that rescue the measurement: a program that asks for a signal's disposition sees its own.
#include <dlfcn.h>
#include <signal.h>

#include "runtime/base/compiler.h"
#include "runtime/endings/handlers.h"
#include "runtime/endings/last_signal.h"

namespace {

using Handler = void (*)(int);
using SignalFunction = Handler (*)(int, Handler);

#define EPIK_SIGNAL_FUNCTIONS(ROW) \
  ROW(signal) ROW(bsd_signal) ROW(ssignal) ROW(sysv_signal) ROW(__sysv_signal) ROW(sigset)

// Looked up early: a forked child may not ask the loader (runtime/base/forked.h).
struct RealFunctions {
#define EPIK_DECLARE(name) SignalFunction name##_;
  EPIK_SIGNAL_FUNCTIONS(EPIK_DECLARE)
#undef EPIK_DECLARE
};
RealFunctions real;

__attribute__((constructor)) void FindReal() {
  if (real.signal_ != nullptr) return;
#define EPIK_FIND(name) real.name##_ = reinterpret_cast<SignalFunction>(dlsym(RTLD_NEXT, #name));
  EPIK_SIGNAL_FUNCTIONS(EPIK_FIND)
#undef EPIK_FIND
}

Handler SetThrough(SignalFunction real, int signal, Handler handler) {
  if (real == nullptr) return SIG_ERR;
  const Handler old = real(signal, handler);
  if (old != SIG_ERR && handler == SIG_DFL) epik::endings::WatchAgain(signal);
  return epik::endings::IsOurHandler(old) ? SIG_DFL : old;
}

}  // namespace

extern "C" {

EPIK_EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  const auto real = epik::endings::RealSigaction();
  if (real == nullptr) return -1;
  const bool to_default = action != nullptr && (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler == SIG_DFL;
  const int result = real(signal, action, old);
  if (result == 0 && old != nullptr) epik::endings::HideOurHandler(old);
  if (result == 0 && to_default) epik::endings::WatchAgain(signal);
  return result;
}

// The older functions to set a handler. They differ in meaning, so each wrapper calls its own function of libc.
#define EPIK_SIGNAL_LIKE(name)                                     \
  EPIK_EXPORT Handler name(int signal, Handler handler) noexcept;  \
  EPIK_EXPORT Handler name(int signal, Handler handler) noexcept { \
    FindReal();                                                    \
    return SetThrough(real.name##_, signal, handler);              \
  }

EPIK_SIGNAL_FUNCTIONS(EPIK_SIGNAL_LIKE)
}
