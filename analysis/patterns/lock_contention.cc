// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/contention.h"

namespace epik::patterns {

const PatternInfo kLockContentionInfo = {
    "omp_lock_contention_api",
    "omp_lock_api",
    "Contention at Lock",
    "A thread that asks for a lock (omp_set_lock, omp_set_nest_lock) waits from its enter until the thread that "
    "had the lock before gives it back, if that is later.",
    "A thread waits for another one to release the lock.",
    "Hold locks for less time, or use more locks that protect less data each."};

std::unique_ptr<Pattern> MakeLockContention(uint32_t number, Severities* severities) {
  return std::make_unique<Contention>(kLockContentionInfo, number, severities, replay::Role::kLock);
}

}  // namespace epik::patterns
