// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/last_signal.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "runtime/base/compiler.h"
#include "runtime/base/system_call.h"
#include "runtime/base/thread_memory.h"
#include "runtime/endings/control.h"
#include "runtime/endings/handlers.h"
#include "runtime/endings/rescue.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/options.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace epik::endings {
namespace {

// Signals whose default action ends the process. SIGTRAP is not among them, because debuggers use it.
constexpr int kWatched[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE, SIGUSR1,
                            SIGSEGV, SIGUSR2, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS, SIGVTALRM};

EPIK_PER_THREAD base::PerThread<void*> lent_stack;

// A handler of the program with SA_ONSTACK runs on this stack, too, and may need the room of a normal stack. The stack
// takes only address space until it is used. Below it lies a page that nobody may touch.
constexpr size_t kGuardBytes = 4096;
size_t SignalStackBytes() { return getauxval(AT_MINSIGSTKSZ) / 4096 * 4096 + (1u << 20); }

// Stacks of threads that have ended, for the next threads: mapping and unmapping one is most of the cost of a short
// thread. There is no lock, because a forked child would have to know that nobody holds it.
constexpr size_t kSpareStacks = 16;
std::atomic<void*> spare_stacks[kSpareStacks];

void* TakeSpareStack() {
  for (std::atomic<void*>& spare : spare_stacks) {
    if (spare.load(std::memory_order_relaxed) == nullptr) continue;
    if (void* memory = spare.exchange(nullptr, std::memory_order_acquire)) return memory;
  }
  return nullptr;
}

bool KeepSpareStack(void* memory) {
  for (std::atomic<void*>& spare : spare_stacks) {
    void* none = nullptr;
    if (spare.compare_exchange_strong(none, memory, std::memory_order_release, std::memory_order_relaxed)) return true;
  }
  return false;
}

void* NewSignalStack() {
  void* memory =
      mmap(nullptr, SignalStackBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  mprotect(memory, kGuardBytes, PROT_NONE);
  return memory;
}

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

namespace {

void LendSignalStack(event::Location*, bool) {
  stack_t present;
  if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
  void* memory = TakeSpareStack();
  if (memory == nullptr) memory = NewSignalStack();
  if (memory == nullptr) return;
  stack_t lent{};
  lent.ss_sp = static_cast<char*>(memory) + kGuardBytes;
  lent.ss_size = SignalStackBytes() - kGuardBytes;
  if (sigaltstack(&lent, nullptr) == 0) {
    *lent_stack = memory;
  } else {
    munmap(memory, SignalStackBytes());
  }
}

void TakeSignalStackBack() {
  if (*lent_stack == nullptr) return;
  stack_t present;
  if (sigaltstack(nullptr, &present) == 0 && present.ss_sp == static_cast<char*>(*lent_stack) + kGuardBytes) {
    if ((present.ss_flags & SS_ONSTACK) != 0) return;  // the thread ends inside a handler
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  if (!KeepSpareStack(*lent_stack)) munmap(*lent_stack, SignalStackBytes());
  *lent_stack = nullptr;
}

}  // namespace

const episode::Part last_signals_part = {
    .name = "last signals", .start = WatchLastSignals, .begins = LendSignalStack, .closed = TakeSignalStackBack};

}  // namespace epik::endings
