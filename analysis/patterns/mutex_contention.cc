// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

const PatternInfo kMutexContentionInfo = {
    "pthread_lock_contention_mutex_lock",
    "pthread_lock_api",
    "Contention at Mutex",
    "A thread that asks for a lock of libc (pthread_mutex_lock, pthread_rwlock_wrlock, mtx_lock, "
    "pthread_spin_lock, and their kin) and finds it taken waits from its enter until it has the lock or gives up. "
    "A thread that waits for a condition waits from the signal until it has its mutex again.",
    "A thread waits for other threads to release the lock. The causes name the threads that had it.",
    "Hold locks for less time, or use more locks that protect less data each."};

std::unique_ptr<Pattern> MakeMutexContention(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadWait>(kMutexContentionInfo, number, severities, ThreadWait::What::kMutex);
}

}  // namespace epik::patterns
