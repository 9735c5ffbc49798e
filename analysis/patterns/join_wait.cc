// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

const PatternInfo kJoinWaitInfo = {
    "pthread_join_wait",
    "pthread_management",
    "Wait for Thread's End",
    "A thread that joins another one (pthread_join, thrd_join, and their kin) waits from its enter until the "
    "other one ends, or until it gives up.",
    "A thread has nothing to do but to wait for the end of another one. The causes name what the other one did.",
    "Give the thread that waits a part of the work, or even out the work among those that it waits for."};

std::unique_ptr<Pattern> MakeJoinWait(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadWait>(kJoinWaitInfo, number, severities, ThreadWait::What::kEnd);
}

}  // namespace epik::patterns
