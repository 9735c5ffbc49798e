// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

const PatternInfo kSemaphoreWaitInfo = {
    "pthread_semaphore_wait",
    "pthread_semaphore",
    "Wait for Semaphore",
    "A thread that finds a semaphore taken (sem_wait, and its kin) waits from its enter until another thread "
    "posts, or until it gives up.",
    "A thread waits for what others produce or give back. The causes name what the thread that posted did before.",
    "Let others post earlier, or begin with a higher count where that is right."};

std::unique_ptr<Pattern> MakeSemaphoreWait(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadWait>(kSemaphoreWaitInfo, number, severities, ThreadWait::What::kPost);
}

}  // namespace epik::patterns
