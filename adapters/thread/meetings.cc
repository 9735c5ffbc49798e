// SPDX-License-Identifier: BSD-3-Clause
// Condition variables, barriers, semaphores, and the end of other threads. All but semaphores are always timed, because
// a program that calls them expects to wait.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <cerrno>

#include "adapters/thread/free_locks_hot.h"
#include "adapters/thread/meeting_log.h"
#include "adapters/thread/plain_words.h"
#include "adapters/thread/waits.h"

using epik::thread::BarrierLog;
using epik::thread::IsClock;
using epik::thread::IsTime;
using epik::thread::JoinLog;
using epik::thread::SignalLog;

#define WAIT(name, version, parameters, arguments, log) \
  EPIK_DEFINE_NEXT(name, version)                       \
  EPIK_EXPORT int name parameters {                     \
    const void* caller = __builtin_return_address(0);   \
    const void* stack = EPIK_WRAPPER_FRAME;             \
    auto* next = Next_##name();                         \
    if (EPIK_UNLIKELY(next == nullptr)) return ENOSYS;  \
    return EPIK_TIMED(name, next arguments, log);       \
  }

namespace {

EPIK_DEFINE_NEXT(sem_trywait, nullptr)

// Takes a semaphore that is free now. False: the caller has to wait.
EPIK_HOT bool TrySemaphore(sem_t* semaphore, epik::event::Location* location, const void* caller) {
  if (EPIK_LIKELY(epik::thread::TakeWord(semaphore))) {
    epik::thread::CountFree(location, caller);
    return true;
  }
  auto* try_next = Next_sem_trywait();
  if (EPIK_UNLIKELY(try_next == nullptr)) return false;
  const int saved_errno = errno;
  const bool free = try_next(semaphore) == 0;
  errno = saved_errno;
  if (free) epik::thread::CountFree(location, caller);
  return free;
}

}  // namespace

// The call itself reports errors of a semaphore. A thread that is not measured calls libc's function. `before`: code
// that libc's function runs even if the semaphore is free. A thread that is to be cancelled ends in sem_wait and
// sem_timedwait; sem_clockwait of glibc takes the semaphore. `is_right`: otherwise libc refuses the call at once.
#define SEMAPHORE(name, parameters, arguments, before, is_right)   \
  EPIK_DEFINE_NEXT(name, nullptr)                                  \
  EPIK_EXPORT int name parameters {                                \
    const void* caller = __builtin_return_address(0);              \
    const void* stack = EPIK_WRAPPER_FRAME;                        \
    epik::event::Location* location = epik::episode::current;      \
    if (EPIK_LIKELY(location != nullptr && (is_right))) {          \
      before;                                                      \
      if (TrySemaphore(semaphore, location, caller)) return 0;     \
    }                                                              \
    auto* next = Next_##name();                                    \
    if (EPIK_UNLIKELY(next == nullptr)) {                          \
      errno = ENOSYS;                                              \
      return -1;                                                   \
    }                                                              \
    return EPIK_TIMED(name, next arguments, SignalLog(semaphore)); \
  }

extern "C" {

// Programs from before 2003 have conditions of another layout, and another version of these functions. They are not
// measured.
WAIT(pthread_cond_wait, "GLIBC_2.3.2", (pthread_cond_t * condition, pthread_mutex_t* mutex), (condition, mutex),
     SignalLog(condition, mutex))
WAIT(pthread_cond_timedwait, "GLIBC_2.3.2", (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until),
     (condition, mutex, until), SignalLog(condition, mutex))
WAIT(pthread_cond_clockwait, nullptr,
     (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until),
     (condition, mutex, clock, until), SignalLog(condition, mutex))
WAIT(pthread_barrier_wait, nullptr, (pthread_barrier_t * barrier), (barrier), BarrierLog(barrier))
WAIT(pthread_join, nullptr, (pthread_t thread, void** result), (thread, result), JoinLog(thread))
WAIT(pthread_timedjoin_np, nullptr, (pthread_t thread, void** result, const timespec* until), (thread, result, until),
     JoinLog(thread))
WAIT(pthread_clockjoin_np, nullptr, (pthread_t thread, void** result, clockid_t clock, const timespec* until),
     (thread, result, clock, until), JoinLog(thread))
WAIT(cnd_wait, nullptr, (cnd_t * condition, mtx_t* mutex), (condition, mutex), SignalLog(condition, mutex))
WAIT(cnd_timedwait, nullptr, (cnd_t * condition, mtx_t* mutex, const timespec* until), (condition, mutex, until),
     SignalLog(condition, mutex))
WAIT(thrd_join, nullptr, (thrd_t thread, int* result), (thread, result), JoinLog(thread))

SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore), pthread_testcancel(), true)
SEMAPHORE(sem_timedwait, (sem_t * semaphore, const timespec* until), (semaphore, until), pthread_testcancel(),
          IsTime(until))
SEMAPHORE(sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until), (semaphore, clock, until), {},
          IsTime(until) && IsClock(clock))
}
