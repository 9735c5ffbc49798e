// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

namespace epik::patterns {

const PatternInfo kThreadBarrierWaitInfo = {"pthread_barrier_wait",
                                            "pthread_barrier",
                                            "Wait at Barrier of Threads",
                                            "Of each thread at a barrier of libc (pthread_barrier_wait): from its "
                                            "enter until that of the last one; until its own "
                                            "leave, if the trace does not have all of them.",
                                            "Threads come to a barrier at different times, and the early ones wait.",
                                            "Even out the work between barriers, or have fewer of them."};

namespace {

class ThreadBarrierWait : public TeamBarrier {
 public:
  using TeamBarrier::TeamBarrier;
  void Waited(const replay::ThreadWait& wait) override {
    const replay::ThreadWait::Stretch& stretch = wait.stretches.front();
    if (stretch.what != replay::ThreadWait::What::kBarrier) return;
    Add(wait.call.location, wait.call.path, stretch.from, stretch.to - stretch.from);
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeThreadBarrierWait(uint32_t number, Severities* severities) {
  return std::make_unique<ThreadBarrierWait>(kThreadBarrierWaitInfo, number, severities, replay::Role::kThreadBarrier);
}

}  // namespace epik::patterns
