// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/task_wait.h"

namespace epik::patterns {

const PatternInfo kTaskwaitCreationInfo = {
    "omp_taskwait_creation",
    "omp_taskwait_wait",
    "Wait for Creation of Tasks",
    "The part of Wait for Tasks in which a thread waited for the creation of the task that it ran next.",
    "A thread is ready to run tasks, and others do not create them fast enough.",
    "Let several threads create tasks, or create larger tasks."};

std::unique_ptr<Pattern> MakeTaskwaitCreation(uint32_t number, Severities* severities) {
  return std::make_unique<TaskWait>(kTaskwaitCreationInfo, number, severities, true);
}

}  // namespace epik::patterns
