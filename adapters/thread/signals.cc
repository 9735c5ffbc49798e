// SPDX-License-Identifier: BSD-3-Clause
// Signals of conditions and posts of semaphores. Only the trace has them; they are no visits. If nobody waits, they
// cost a look at one number.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <cerrno>

#include "adapters/thread/meeting_log.h"
#include "adapters/thread/waits.h"
#include "runtime/epilog/locks.h"

#define SIGNAL(name, version, parameter, object, all, missing)                              \
  EPIK_DEFINE_NEXT(name, version)                                                           \
  EPIK_EXPORT int name(parameter) {                                                         \
    auto* next = Next_##name();                                                             \
    if (EPIK_UNLIKELY(next == nullptr)) return missing;                                     \
    if (EPIK_UNLIKELY(epik::epilog::HasAnyWaiters())) epik::thread::LogSignal(object, all); \
    return next(object);                                                                    \
  }

namespace {

int MissingPost() {
  errno = ENOSYS;
  return -1;
}

}  // namespace

extern "C" {

SIGNAL(pthread_cond_signal, "GLIBC_2.3.2", pthread_cond_t* condition, condition, false, ENOSYS)
SIGNAL(pthread_cond_broadcast, "GLIBC_2.3.2", pthread_cond_t* condition, condition, true, ENOSYS)
SIGNAL(cnd_signal, nullptr, cnd_t* condition, condition, false, thrd_error)
SIGNAL(cnd_broadcast, nullptr, cnd_t* condition, condition, true, thrd_error)
SIGNAL(sem_post, nullptr, sem_t* semaphore, semaphore, false, MissingPost())

// Notes the number of threads of a barrier, because libc does not tell it later.
EPIK_DEFINE_NEXT(pthread_barrier_init, nullptr)
EPIK_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                     unsigned count) {
  auto* next = Next_pthread_barrier_init();
  if (EPIK_UNLIKELY(next == nullptr)) return ENOSYS;
  const int error = next(barrier, attributes, count);
  const uint32_t number = error == 0 ? epik::epilog::NumberOfLock(reinterpret_cast<uint64_t>(barrier)) : 0;
  if (number != 0) epik::epilog::SetThreadsOf(number, count);
  return error;
}
}
