// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/contention.h"

namespace epik::patterns {

const PatternInfo kCriticalContentionInfo = {
    "omp_lock_contention_critical",
    "omp_critical",
    "Contention at Critical",
    "A thread that asks for a critical section, or for an atomic that needs a lock, waits from its enter until "
    "the thread that had the lock before gives it back, if that is later.",
    "A thread waits for another one to leave the critical section.",
    "Do less in the section, give different names to sections that need not exclude each other, or use a "
    "reduction or atomics."};

std::unique_ptr<Pattern> MakeCriticalContention(uint32_t number, Severities* severities) {
  return std::make_unique<Contention>(kCriticalContentionInfo, number, severities, replay::Role::kCritical);
}

}  // namespace epik::patterns
