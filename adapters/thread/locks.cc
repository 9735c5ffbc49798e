// SPDX-License-Identifier: BSD-3-Clause
// Mutexes, reader-writer locks and spin locks of POSIX and C11: a visit is a call that found the lock taken. The
// release of a mutex or a spin lock is no visit. The trace has the release if it has the acquisition.
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include "adapters/thread/free_locks_hot.h"
#include "adapters/thread/lock_log.h"
#include "adapters/thread/plain_mutex.h"
#include "adapters/thread/plain_words.h"
#include "adapters/thread/waits.h"
#include "runtime/epilog/held_locks.h"

using epik::event::Location;
using epik::thread::CountFree;
using epik::thread::IsAlone;
using epik::thread::IsClock;
using epik::thread::IsTime;
using epik::thread::LockLog;

namespace {

EPIK_HOT int Counted(int error, Location* location, const void* caller) {
  if (EPIK_LIKELY(error == 0)) CountFree(location, caller);
  return error;
}

// Kinds of lock that only libc takes.
EPIK_HOT bool TakePlain(const volatile void* /*lock*/, uint32_t /*thread_id*/) { return false; }
EPIK_HOT bool TakePlain(pthread_mutex_t* mutex, uint32_t thread_id) {
  return !IsAlone() && epik::thread::TakePlain(mutex, thread_id);
}
EPIK_HOT bool TakePlain(pthread_spinlock_t* lock, uint32_t /*thread_id*/) { return epik::thread::TakeWord(lock); }

EPIK_HOT bool GivePlain(pthread_mutex_t* mutex) { return epik::thread::GivePlain(mutex); }
EPIK_HOT bool GivePlain(mtx_t* /*mutex*/) { return false; }  // libc makes none of the plain kind

template <typename Lock>
int Try(int (*try_next)(Lock*), Lock* lock) {
  return try_next(lock);
}
int Try(int (*try_next)(pthread_mutex_t*), pthread_mutex_t* mutex);

}  // namespace

// A thread that is not measured calls libc's function. Any other thread tries first, and if try_next says `taken`, it
// waits in the call itself. `is_right`: otherwise libc refuses the call, even if the lock is free.
#define LOCK(name, try_name, taken, parameters, arguments, lock, is_right)                                         \
  EPIK_DEFINE_NEXT(name, nullptr)                                                                                  \
  __attribute__((noinline)) static int Wait_##name(const void* caller, const void* stack, PARAMETERS parameters) { \
    auto* next = Next_##name();                                                                                    \
    if (next == nullptr) return ENOSYS;                                                                            \
    return EPIK_TIMED(name, next arguments, LockLog(lock));                                                        \
  }                                                                                                                \
  __attribute__((noinline)) static int Try_##name(const void* caller, PARAMETERS parameters) {                     \
    Location* location = epik::episode::current;                                                                   \
    if (location == nullptr) return Next_##name() arguments;                                                       \
    if (IsAlone() || !(is_right)) return Counted(Next_##name() arguments, location, caller);                       \
    auto* try_next = Next_##try_name();                                                                            \
    const int error = try_next != nullptr ? Try(try_next, lock) : taken;                                           \
    if (EPIK_LIKELY(error != (taken))) return Counted(error, location, caller);                                    \
    return Wait_##name(caller, EPIK_WRAPPER_FRAME, ARGUMENTS arguments);                                           \
  }                                                                                                                \
  EPIK_EXPORT int name parameters {                                                                                \
    Location* location = epik::episode::current;                                                                   \
    if (EPIK_UNLIKELY(location == nullptr)) return Next_##name() arguments;                                        \
    const void* caller = __builtin_return_address(0);                                                              \
    if (EPIK_LIKELY((is_right) && TakePlain(lock, location->thread_id))) return Counted(0, location, caller);      \
    return Try_##name(caller, ARGUMENTS arguments);                                                                \
  }

#define UNLOCK(name, type)                                                                   \
  EPIK_DEFINE_NEXT(name, nullptr)                                                            \
  EPIK_EXPORT int name(type* mutex) {                                                        \
    if (EPIK_UNLIKELY(epik::epilog::held_locks != 0)) epik::thread::LogMutexReleased(mutex); \
    if (EPIK_LIKELY(GivePlain(mutex))) return 0;                                             \
    return Next_##name()(mutex);                                                             \
  }

EPIK_DEFINE_NEXT(pthread_mutex_trylock, nullptr)
EPIK_DEFINE_NEXT(pthread_rwlock_tryrdlock, nullptr)
EPIK_DEFINE_NEXT(pthread_rwlock_trywrlock, nullptr)
EPIK_DEFINE_NEXT(pthread_spin_trylock, nullptr)
EPIK_DEFINE_NEXT(mtx_trylock, nullptr)
EPIK_DEFINE_NEXT(pthread_spin_unlock, nullptr)

// Called if the thread has locks that are logged, or if libc's locks are of another kind.
EPIK_COLD static int Release(pthread_spinlock_t* lock) {
  if (epik::epilog::held_locks != 0) epik::thread::LogLockReleased(lock);
  return epik::thread::GiveWord(lock) ? 0 : Next_pthread_spin_unlock()(lock);
}

#define PARAMETERS(...) __VA_ARGS__
#define ARGUMENTS(...) __VA_ARGS__

extern "C" {

LOCK(pthread_mutex_lock, pthread_mutex_trylock, EBUSY, (pthread_mutex_t * mutex), (mutex), mutex, true)
LOCK(pthread_mutex_timedlock, pthread_mutex_trylock, EBUSY, (pthread_mutex_t * mutex, const timespec* until),
     (mutex, until), mutex, true)
LOCK(pthread_mutex_clocklock, pthread_mutex_trylock, EBUSY,
     (pthread_mutex_t * mutex, clockid_t clock, const timespec* until), (mutex, clock, until), mutex, IsClock(clock))
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, EBUSY, (pthread_rwlock_t * lock), (lock), lock, true)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, EBUSY, (pthread_rwlock_t * lock), (lock), lock, true)
LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, EBUSY, (pthread_rwlock_t * lock, const timespec* until),
     (lock, until), lock, IsTime(until))
LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, EBUSY, (pthread_rwlock_t * lock, const timespec* until),
     (lock, until), lock, IsTime(until))
LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, EBUSY,
     (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until), lock,
     IsTime(until) && IsClock(clock))
LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, EBUSY,
     (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until), lock,
     IsTime(until) && IsClock(clock))
LOCK(pthread_spin_lock, pthread_spin_trylock, EBUSY, (pthread_spinlock_t * lock), (lock), lock, true)
LOCK(mtx_lock, mtx_trylock, thrd_busy, (mtx_t * mutex), (mutex), mutex, true)
LOCK(mtx_timedlock, mtx_trylock, thrd_busy, (mtx_t * mutex, const timespec* until), (mutex, until), mutex, true)

UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
UNLOCK(mtx_unlock, mtx_t)

// Takes no longer than libc's function: no value is kept across a call, so no register is saved.
EPIK_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (EPIK_LIKELY(epik::epilog::held_locks == 0 && epik::thread::GiveWord(lock))) return 0;
  return Release(lock);
}
}

namespace {

#ifdef __GLIBC__
// glibc's function that tries keeps a robust mutex which cannot be recovered, because a thread died that had it, and
// nobody made it consistent. The next thread would wait for ever. A timed wait gives it back, and one whose time is
// over when it begins waits for nobody.
int Try(int (*try_next)(pthread_mutex_t*), pthread_mutex_t* mutex) {
  constexpr int kRobust = 16, kInheritsPriority = 32;  // of glibc's kinds
  auto* timed_next = Next_pthread_mutex_timedlock();
  const int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
  if ((kind & (kRobust | kInheritsPriority)) != kRobust || timed_next == nullptr) return try_next(mutex);
  const timespec kOver{-1, 0};
  const int error = timed_next(mutex, &kOver);
  return error == ETIMEDOUT ? EBUSY : error;
}
#else
int Try(int (*try_next)(pthread_mutex_t*), pthread_mutex_t* mutex) { return try_next(mutex); }
#endif

}  // namespace
