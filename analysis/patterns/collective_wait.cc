// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

#include <algorithm>

namespace epik::patterns {

void CollectiveWait::Met(const replay::Collective& collective) {
  if (collective.operation.role != role_ && collective.operation.role != other_role_) return;
  for (const replay::Member& member : collective.members) {
    if (!member.needs || !member.knows_ready || !member.knows_begin || member.immediate) continue;
    AddWait(member.location, member.path, member.begin, member.begin, std::min(member.ready, member.end));
  }
}

void CollectiveWait::Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) {
  const bool any = std::any_of(arrivals.begin(), arrivals.end(),
                               [](const replay::Arrival& arrival) { return arrival.collective != nullptr; });
  if (!any) return;
  int64_t waited = WaitedFor(call, arrivals, role_);
  if (other_role_ != role_) waited += WaitedFor(call, arrivals, other_role_);
  Add(call.location, call.path, call.enter, waited);
}

}  // namespace epik::patterns
