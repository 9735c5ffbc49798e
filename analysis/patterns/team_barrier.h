// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait in a barrier of their team: until the last thread comes, or for tasks.
#ifndef EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_
#define EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_

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
  void Waited(const replay::ThreadWait& wait) override;

  void Gathered(const replay::Gathering& barrier) override;

 private:
  replay::Role role_;
  InBarrier what_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TEAM_BARRIER_H_
