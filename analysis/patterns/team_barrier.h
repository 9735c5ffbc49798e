// SPDX-License-Identifier: BSD-3-Clause
// Threads that come to a barrier of their team before the last one.
#ifndef EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_
#define EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_

#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class TeamBarrier : public Pattern {
 public:
  unsigned wants() const override { return kTeams; }
  TeamBarrier(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role)
      : Pattern(info, number, severities), role_(role) {}

  void Gathered(const replay::Gathering& barrier) override {
    if (barrier.operation.role != role_) return;
    int64_t latest = INT64_MIN;
    for (const auto& member : barrier.members) {
      if (!member.knows_enter) return;
      latest = std::max(latest, member.enter);
    }
    for (const auto& member : barrier.members) {
      const int64_t until = std::min(latest, member.leave);
      int64_t waited = until - member.enter;
      for (const auto& [from, to] : member.tasks) waited -= std::max<int64_t>(std::min(to, until) - from, 0);
      Add(member.location, member.path, member.enter, waited);
    }
  }

 private:
  replay::Role role_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_
