// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/team_barrier.h"

#include <algorithm>

namespace epik::patterns {

void TeamBarrier::Waited(const replay::ThreadWait& wait) {
  const replay::ThreadWait::Stretch& stretch = wait.stretches.front();
  if (what_ != InBarrier::kAll || stretch.what != replay::ThreadWait::What::kBarrier) return;
  if (wait.call.operation.role != role_) return;
  AddWait(wait.call.location, wait.call.path, wait.call.enter, stretch.from, stretch.to);
}

void TeamBarrier::Gathered(const replay::Gathering& barrier) {
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

}  // namespace epik::patterns
