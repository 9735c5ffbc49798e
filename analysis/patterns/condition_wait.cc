// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

const PatternInfo kConditionWaitInfo = {
    "pthread_condition_wait",
    "pthread_conditional",
    "Wait for Condition",
    "Of a thread that waits for a condition (pthread_cond_wait, cnd_wait, and their kin): from its enter until another "
    "one "
    "signals it; until it has its mutex again, if it came back without a signal. What it waits for its mutex after the "
    "signal is Contention at Mutex.",
    "A thread waits until another one tells it to go on. The causes name what that one did before.",
    "Give the thread other work meanwhile, let the other one signal earlier, or even out what both do."};

std::unique_ptr<Pattern> MakeConditionWait(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadWait>(kConditionWaitInfo, number, severities, ThreadWait::What::kSignal);
}

}  // namespace epik::patterns
