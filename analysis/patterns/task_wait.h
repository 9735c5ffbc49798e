// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for tasks, at a taskwait or at the end of a taskgroup.
#ifndef EPIK_ANALYSIS_PATTERNS_TASK_WAIT_H_
#define EPIK_ANALYSIS_PATTERNS_TASK_WAIT_H_

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class TaskWait : public Pattern {
 public:
  unsigned wants() const override { return kTeams; }
  TaskWait(const PatternInfo& info, uint32_t number, Severities* severities, bool only_creation)
      : Pattern(info, number, severities), only_creation_(only_creation) {}

  void Awaited(const replay::TaskWait& wait) override;

 private:
  bool only_creation_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TASK_WAIT_H_
