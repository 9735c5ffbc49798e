// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/last_signal.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "runtime/base/system_call.h"
#include "runtime/endings/control.h"
#include "runtime/endings/handlers.h"
#include "runtime/endings/rescue.h"
#include "runtime/endings/signal_stack.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/options.h"

namespace epik::endings {
namespace {

// Signals whose default action ends the process. SIGTRAP is not among them, because debuggers use it.
constexpr int kWatched[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE, SIGUSR1,
                            SIGSEGV, SIGUSR2, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS, SIGVTALRM};

// Whether the interrupted instruction caused the signal. It is executed again under the default action, and ends the
// process as it would have without EPIK.
bool IsFault(int signal, const siginfo_t* info) {
  const bool can_be = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGSYS;
  return can_be && info->si_code > 0 && info->si_code != SI_KERNEL;
}

void OnLastSignal(int signal, siginfo_t* info, void*) {
  const int saved_errno = errno;
  Rescue(signal == SIGABRT ? event::Ending::kAbort : event::Ending::kSignal, signal);
  struct sigaction standard;
  std::memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  RealSigaction()(signal, &standard, nullptr);
  // Blocked while we are in here: it arrives when we return.
  if (!IsFault(signal, info)) base::SystemCall(SYS_tgkill, getpid(), base::SystemCall(SYS_gettid), signal);
  errno = saved_errno;
}

}  // namespace

namespace {

void WatchLastSignals(const episode::Options&) {
  if (RealSigaction() == nullptr) return;
  for (const int signal : kWatched) {
    struct sigaction current;
    if (RealSigaction()(signal, nullptr, &current) != 0) continue;
    if ((current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler == SIG_DFL) Handle(signal, OnLastSignal);
  }
}

}  // namespace

void WatchAgain(int signal) {
  if (episode::CurrentStage() != episode::Stage::kOn || ListenAgain(signal)) return;
  for (const int watched : kWatched) {
    if (watched == signal) Handle(signal, OnLastSignal);
  }
}

bool IsOurHandler(void (*handler)(int)) {
  return reinterpret_cast<void*>(handler) == reinterpret_cast<void*>(&OnLastSignal) || IsControlHandler(handler);
}

void HideOurHandler(struct sigaction* seen) {
  if (!IsOurHandler(seen->sa_handler)) return;
  std::memset(seen, 0, sizeof *seen);
  seen->sa_handler = SIG_DFL;
}

const episode::Part last_signals_part = {
    .name = "last signals", .start = WatchLastSignals, .begins = LendSignalStack, .closed = TakeSignalStackBack};

}  // namespace epik::endings
