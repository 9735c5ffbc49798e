// SPDX-License-Identifier: BSD-3-Clause
// Measures two kinds of waiting: for another thread that runs an initialization once, and for a word in memory. C++20's
// std::atomic::wait and everything built on it, futures, and the guards of static variables reach the kernel through
// libc's syscall().
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>

#include "adapters/thread/meeting_log.h"
#include "adapters/thread/thread_records.h"
#include "adapters/thread/waits.h"
#include "runtime/base/thread_memory.h"
#include "runtime/epilog/locks.h"

namespace {

// The states of glibc. kInProgress: a thread is in the function that is called once. The thread that calls the function
// does not wait.
enum class Once : int { kNot, kInProgress, kDone };
EPIK_HOT Once StateOf(const void* control) {
  constexpr int kStates = 3;
  return Once{__atomic_load_n(static_cast<const int*>(control), __ATOMIC_RELAXED) & kStates};
}

// The thread calls `function` once, and sets `control` when it is done.
struct Initialization {
  const void* control = nullptr;
  void (*function)() = nullptr;
};
EPIK_PER_THREAD epik::base::PerThread<Initialization> initialization;

// The threads that wait go on right after it.
void Initialize() {
  const Initialization mine = *initialization;
  mine.function();
  if (epik::epilog::HasAnyWaiters()) epik::thread::LogSignal(mine.control, true);
}

// Calls `next` with our function in place of the program's. A signal handler may do the same meanwhile.
template <class Result, class Control>
EPIK_COLD Result DoOnce(Result (*next)(Control*, void (*)()), Control* control, void (*function)()) {
  struct Restored {
    ~Restored() { *initialization = before; }
    const Initialization before = *initialization;
  } const restored;
  *initialization = {control, function};
  return next(control, Initialize);
}

// The thread that has begun tells when it is done.
template <class Result, class Control>
EPIK_COLD Result FirstOnce(Result (*next)(Control*, void (*)()), Control* control, void (*function)()) {
  return epik::thread::WhoLogs() == nullptr ? next(control, function) : DoOnce(next, control, function);
}

// Whether the operation waits until the word changes.
bool WaitsForChange(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}
bool Waits(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return WaitsForChange(operation) || command == FUTEX_LOCK_PI || command == FUTEX_WAIT_REQUEUE_PI;
}
bool Wakes(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
}

using SystemCall = long (*)(long, long, long, long, long, long, long);

EPIK_DEFINE_NEXT(pthread_once, nullptr)
EPIK_DEFINE_NEXT(call_once, nullptr)
EPIK_DEFINE_NEXT(syscall, nullptr)

__attribute__((noinline)) long WaitForWord(const void* caller, const void* stack, const long* words) {
  auto next = reinterpret_cast<SystemCall>(Next_syscall());
  static constinit epik::thread::WaitRegion region{"futex_wait", 0};
  const auto call = [&] { return next(words[0], words[1], words[2], words[3], words[4], words[5], words[6]); };
  const void* word = WaitsForChange(words[2]) ? reinterpret_cast<const void*>(words[1]) : nullptr;
  return epik::thread::Timed(&region, caller, stack, call, epik::thread::WordLog(word));
}

}  // namespace

extern "C" {

EPIK_EXPORT int pthread_once(pthread_once_t* control, void (*function)()) {
  auto* next = Next_pthread_once();
  if (EPIK_UNLIKELY(next == nullptr)) return ENOSYS;
  const Once state = StateOf(control);
  if (EPIK_LIKELY(state == Once::kDone)) return next(control, function);
  if (state != Once::kInProgress) return FirstOnce(next, control, function);
  const void* caller = __builtin_return_address(0);
  const void* stack = EPIK_WRAPPER_FRAME;
  return EPIK_TIMED(pthread_once, DoOnce(next, control, function), epik::thread::WordLog(control));
}

EPIK_EXPORT void call_once(once_flag* control, void (*function)()) {
  auto* next = Next_call_once();
  if (EPIK_UNLIKELY(next == nullptr)) return;
  const Once state = StateOf(control);
  if (EPIK_LIKELY(state == Once::kDone)) return next(control, function);
  if (state != Once::kInProgress) return FirstOnce(next, control, function);
  const void* caller = __builtin_return_address(0);
  const void* stack = EPIK_WRAPPER_FRAME;
  EPIK_TIMED(call_once, (DoOnce(next, control, function), 0), epik::thread::WordLog(control));
}

// Calls libc's syscall() with the same arguments: they are in registers and one word of the stack. It has another name
// here, because libc declares it with an open number of parameters.
EPIK_EXPORT long EpikSystemCall(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
long EpikSystemCall(long number, long a, long b, long c, long d, long e, long f) {
  auto next = reinterpret_cast<SystemCall>(Next_syscall());
  if (EPIK_UNLIKELY(next == nullptr)) {
    errno = ENOSYS;
    return -1;
  }
  if (EPIK_LIKELY(number != SYS_futex || !Waits(b))) {
    if (EPIK_UNLIKELY(number == SYS_futex && epik::epilog::HasAnyWaiters() && Wakes(b))) {
      epik::thread::LogSignal(reinterpret_cast<const void*>(a), c > 1);
    }
    return next(number, a, b, c, d, e, f);
  }
  const long words[] = {number, a, b, c, d, e, f};
  return WaitForWord(__builtin_return_address(0), EPIK_WRAPPER_FRAME, words);
}
}
