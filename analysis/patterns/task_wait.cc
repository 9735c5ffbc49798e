// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/task_wait.h"

namespace epik::patterns {

void TaskWait::Awaited(const replay::TaskWait& wait) {
  int64_t ns = 0;
  for (const replay::TaskStretch& stretch : wait.stretches) {
    const bool is_creation = stretch.why == replay::TaskStretch::Why::kCreated;
    if (is_creation || !only_creation_) ns += stretch.to - stretch.from;
  }
  Add(wait.call.location, wait.call.path, wait.call.enter, ns);
}

}  // namespace epik::patterns
