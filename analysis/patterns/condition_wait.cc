// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

const PatternInfo kConditionWaitInfo = {
    "pthread_condition_wait",
    "pthread_conditional",
    "Wait for Condition",
    "A thread that waits for a condition (pthread_cond_wait, cnd_wait, and their kin) waits from its enter until "
    "another thread signals the condition. If it comes back without a signal, it waits until it has its mutex "
    "again. After the signal, it waits for its mutex: that time is Contention at Mutex.",
    "A thread waits until another one tells it to go on. The causes name what the other one did before.",
    "Give the thread other work meanwhile, let the other one signal earlier, or even out what both do."};

std::unique_ptr<Pattern> MakeConditionWait(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadWait>(kConditionWaitInfo, number, severities, ThreadWait::What::kSignal);
}

}  // namespace epik::patterns
