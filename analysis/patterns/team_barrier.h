// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait in a barrier of their team: until the last thread comes, or for tasks.
#ifndef EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_
#define EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_

#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

// kAll: all waiting before the last thread came. kCreation: the part of it that waited for tasks to be created. kTasks:
// waiting for tasks after the last thread came.
enum class InBarrier : uint8_t { kAll, kCreation, kTasks };

class TeamBarrier : public Pattern {
 public:
  unsigned wants() const override { return kTeams; }
  TeamBarrier(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role,
              InBarrier what = InBarrier::kAll)
      : Pattern(info, number, severities), role_(role), what_(what) {}

  // Replay reports this wait when the trace lacks some threads of the team.
  void Waited(const replay::ThreadWait& wait) override {
    const replay::ThreadWait::Stretch& stretch = wait.stretches.front();
    if (what_ != InBarrier::kAll || stretch.what != replay::ThreadWait::What::kBarrier) return;
    if (wait.call.operation.role != role_) return;
    AddWait(wait.call.location, wait.call.path, wait.call.enter, stretch.from, stretch.to);
  }

  void Gathered(const replay::Gathering& barrier) override {
    if (barrier.operation.role != role_ || barrier.members.empty() || !barrier.KnowsAll()) return;
    const int64_t latest = barrier.members[barrier.Last()].enter;
    for (size_t m = 0; m < barrier.members.size(); ++m) {
      const replay::Gathering::Member& member = barrier.members[m];
      int64_t before = 0, after = 0, creation = 0;
      for (const replay::TaskStretch& stretch : StretchesOf(barrier, m)) {
        const int64_t sooner = std::max<int64_t>(std::min(stretch.to, latest) - stretch.from, 0);
        before += sooner;
        after += stretch.to - stretch.from - sooner;
        if (stretch.why == replay::TaskStretch::Why::kCreated) creation += sooner;
      }
      if (what_ == InBarrier::kAll) Add(member.location, member.path, member.enter, before);
      if (what_ == InBarrier::kCreation) Add(member.location, member.path, member.enter, creation);
      if (what_ == InBarrier::kTasks) Add(member.location, member.path, std::max(member.enter, latest), after);
    }
  }

 private:
  replay::Role role_;
  InBarrier what_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_
