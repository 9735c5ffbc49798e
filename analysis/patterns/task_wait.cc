// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/task_wait.h"

namespace epik::patterns {

void TaskWait::Awaited(const replay::TaskWait& wait) {
  Severities::Span waited;
  for (const replay::TaskStretch& stretch : wait.stretches) {
    const bool is_creation = stretch.why == replay::TaskStretch::Why::kCreated;
    if (is_creation || !only_creation_) waited.Extend(stretch.from, stretch.to);
  }
  Add(wait.call.location, wait.call.path, waited);
}

}  // namespace epik::patterns
