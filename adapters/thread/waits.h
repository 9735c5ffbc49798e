// SPDX-License-Identifier: BSD-3-Clause
// Waiting for other threads in libc's functions. A lock is tried first: a free lock is only counted (free_locks_hot.h).
// A call that has to wait is entered and timed, below the call path that waits.
#ifndef EPIK_ADAPTERS_THREAD_WAITS_H_
#define EPIK_ADAPTERS_THREAD_WAITS_H_

#include <time.h>

#include <atomic>
#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"

namespace epik::thread {

// The paradigm's number in config/paradigms.def.
inline constexpr auto kThreads = event::Paradigm{4};

// libc refuses a timed wait whose time or clock is wrong, even if the lock is free.
EPIK_HOT bool IsTime(const timespec* until) {
  constexpr long kNsPerSecond = 1'000'000'000;
  return until != nullptr && until->tv_nsec >= 0 && until->tv_nsec < kNsPerSecond;
}
EPIK_HOT bool IsClock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

// A function that may wait, as a region.
struct WaitRegion {
  const char* name;
  uint32_t number;  // 0: not defined yet
};

// The function behind ours. Looked up when we are loaded, so that a forked child does not need the loader's lock, or at
// the first call, which may come before any constructor.
struct Next {
  const char* name;
  const char* version;  // version that programs are linked with; null: there is only one
  void* function;
  EPIK_HOT void* Get();
};
EPIK_COLD void* FindNext(const char* name, const char* version);

void* Next::Get() {
  void* known = __atomic_load_n(&function, __ATOMIC_RELAXED);
  if (EPIK_LIKELY(known != nullptr)) return known;
  known = FindNext(name, version);
  __atomic_store_n(&function, known, __ATOMIC_RELAXED);
  return known;
}

#define EPIK_DEFINE_NEXT(name, version)                                  \
  EPIK_HOT decltype(&::name) Next_##name() {                             \
    static constinit ::epik::thread::Next next{#name, version, nullptr}; \
    return reinterpret_cast<decltype(&::name)>(next.Get());              \
  }                                                                      \
  __attribute__((constructor)) static void Find_##name() { Next_##name(); }

// The key of the region if this thread is measured and the program itself waits, and not the library of a paradigm that
// has regions of its own. 0: the wait is not measured.
EPIK_COLD event::Key KeyOfWait(WaitRegion* region, const void* caller);

// Answers by the address of the call, with the answer in the lowest bit. An answer that another one overwrites is
// looked up again.
inline constexpr uint32_t kCallers = 256;
extern EPIK_HIDDEN std::atomic<uint64_t> callers[kCallers];
EPIK_HOT std::atomic<uint64_t>& AnswerAbout(const void* caller) {
  return callers[(reinterpret_cast<uint64_t>(caller) >> 2) % kCallers];
}

// The caller is known to be the program, or a library that belongs to no paradigm.
EPIK_HOT bool IsKnownProgram(const void* caller) {
  return AnswerAbout(caller).load(std::memory_order_relaxed) == reinterpret_cast<uint64_t>(caller) << 1;
}

// Whether the library of a paradigm calls, or any library within a call of MPI.
EPIK_COLD bool IsForParadigm(const void* caller);

// Stands in for a log if the trace has no records of a wait.
struct NoLog {
  static void Begin() {}
  static void End(int /*result*/) {}
};

// Calls wait() as a visit of the region; within it, log.Begin() before and log.End(result) after.
template <class Wait, class Log = NoLog>
auto Timed(WaitRegion* region, const void* caller, const void* stack, Wait wait, Log log = Log()) {
  const event::Key key = KeyOfWait(region, caller);
  if (key == 0) return wait();
  episode::Enter(key, stack);
  log.Begin();
  const auto result = wait();
  log.End(result);
  episode::Exit(key, stack);
  return result;
}

// The same, for the function in which this macro stands.
#define EPIK_TIMED(name, call, ...)                                                                        \
  ([&] {                                                                                                   \
    static constinit ::epik::thread::WaitRegion region{#name, 0};                                          \
    return ::epik::thread::Timed(&region, caller, stack, [&] { return call; } __VA_OPT__(, ) __VA_ARGS__); \
  }())

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_WAITS_H_
