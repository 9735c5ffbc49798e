// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

const PatternInfo kSemaphoreWaitInfo = {
    "pthread_semaphore_wait",
    "pthread_semaphore",
    "Wait for Semaphore",
    "Of a thread that finds a semaphore taken (sem_wait, and its kin): from its enter until another one posts; until "
    "it gave "
    "up, if it did.",
    "A thread waits for what others produce or give back. The causes name what the one that posted did before.",
    "Let others post earlier, or begin with a higher count where that is right."};

std::unique_ptr<Pattern> MakeSemaphoreWait(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadWait>(kSemaphoreWaitInfo, number, severities, ThreadWait::What::kPost);
}

}  // namespace epik::patterns
