// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/task_wait.h"

namespace epik::patterns {

const PatternInfo kTaskwaitWaitInfo = {
    "omp_taskwait_wait",
    "omp_taskwait",
    "Wait for Tasks",
    "Of a thread at a taskwait, or at the end of a taskgroup: from its coming, or from the end of a task that it ran "
    "meanwhile, until the last of the tasks below its own one ended that other threads ran, or until the task that it "
    "ran next was created.",
    "A task cannot go on before those that it created have ended, and there is nothing to do meanwhile. The causes "
    "name the task.",
    "Create long tasks first, split the long ones, or let the thread do work of its own before it waits."};

std::unique_ptr<Pattern> MakeTaskwaitWait(uint32_t number, Severities* severities) {
  return std::make_unique<TaskWait>(kTaskwaitWaitInfo, number, severities, false);
}

}  // namespace epik::patterns
