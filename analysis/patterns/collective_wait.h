// SPDX-License-Identifier: BSD-3-Clause
// Waiting in a collective operation for the last member that it needs: in the call itself, or in the call that
// completes the operation.
#ifndef EPIK_ANALYSIS_PATTERNS_COLLECTIVE_WAIT_H_
#define EPIK_ANALYSIS_PATTERNS_COLLECTIVE_WAIT_H_

#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class CollectiveWait : public Pattern {
 public:
  unsigned wants() const override { return kCollectives | kParts; }
  CollectiveWait(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role)
      : CollectiveWait(info, number, severities, role, role) {}
  CollectiveWait(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role,
                 replay::Role other_role)
      : Pattern(info, number, severities), role_(role), other_role_(other_role) {}

  void Met(const replay::Collective& collective) override {
    if (collective.operation.role != role_ && collective.operation.role != other_role_) return;
    for (const replay::Member& member : collective.members) {
      if (!member.needs || !member.knows_ready || !member.knows_begin || member.immediate) continue;
      AddWait(member.location, member.path, member.begin, member.begin, std::min(member.ready, member.end));
    }
  }
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override {
    const bool any = std::any_of(arrivals.begin(), arrivals.end(),
                                 [](const replay::Arrival& arrival) { return arrival.collective != nullptr; });
    if (!any) return;
    int64_t waited = WaitedFor(call, arrivals, role_);
    if (other_role_ != role_) waited += WaitedFor(call, arrivals, other_role_);
    Add(call.location, call.path, call.enter, waited);
  }

 private:
  replay::Role role_, other_role_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_COLLECTIVE_WAIT_H_
