// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/pattern.h"

namespace epik::patterns {

const PatternInfo kTaskStartInfo = {
    "omp_task_start",
    "",
    "Tasks not yet begun",
    "Of each task, at its call path and for the thread that ran it: from its creation until its begin. It is time of "
    "tasks, not of threads, and no part of Time.",
    "Tasks are there, and no thread is free for them, or what they depend on is not done.",
    "Nothing, as long as all threads work. Else look for dependences (depend) and for tasks of one thread only (tied "
    "ones)."};

namespace {

class TaskStart : public Pattern {
 public:
  unsigned wants() const override { return kTeams; }
  using Pattern::Pattern;
  void Started(const replay::TaskStart& start) override {
    Add(start.location, start.path, start.created, start.begun - start.created);
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeTaskStart(uint32_t number, Severities* severities) {
  return std::make_unique<TaskStart>(kTaskStartInfo, number, severities);
}

}  // namespace epik::patterns
