// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

const PatternInfo kOnceWaitInfo = {
    "pthread_once_wait",
    "pthread_management",
    "Wait for Initialization",
    "A thread that calls a function once (pthread_once, call_once, std::call_once) while another thread is in it "
    "waits from its enter until that thread has done it.",
    "A thread needs what another one is just making. The causes name what that takes.",
    "Run the initialization before threads need it, or give these threads other work to begin with."};

std::unique_ptr<Pattern> MakeOnceWait(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadWait>(kOnceWaitInfo, number, severities, ThreadWait::What::kOnce);
}

}  // namespace epik::patterns
