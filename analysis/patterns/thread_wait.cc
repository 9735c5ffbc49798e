// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

void ThreadWait::Waited(const replay::ThreadWait& wait) {
  Severities::Span waited;
  for (const replay::ThreadWait::Stretch& stretch : wait.stretches) {
    if (stretch.what != what_) continue;
    waited.Extend(stretch.from, stretch.to, OwnTime(wait.call.location, wait.call.enter, stretch.from, stretch.to));
  }
  Add(wait.call.location, wait.call.path, waited);
}

}  // namespace epik::patterns
