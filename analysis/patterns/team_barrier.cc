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
    Severities::Span waited;
    for (const replay::TaskStretch& stretch : StretchesOf(barrier, m)) {
      if (what_ == InBarrier::kCreation && stretch.why != replay::TaskStretch::Why::kCreated) continue;
      const bool is_after = what_ == InBarrier::kTasks;
      waited.Extend(is_after ? std::max(stretch.from, latest) : stretch.from,
                    is_after ? stretch.to : std::min(stretch.to, latest));
    }
    Add(member.location, member.path, waited);
  }
}

}  // namespace epik::patterns
