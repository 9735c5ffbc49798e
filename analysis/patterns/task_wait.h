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

  void Awaited(const replay::TaskWait& wait) override {
    int64_t ns = 0;
    for (const replay::TaskStretch& stretch : wait.stretches) {
      const bool is_creation = stretch.why == replay::TaskStretch::Why::kCreated;
      if (is_creation || !only_creation_) ns += stretch.to - stretch.from;
    }
    Add(wait.call.location, wait.call.path, wait.call.enter, ns);
  }

 private:
  bool only_creation_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TASK_WAIT_H_
