// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/thread_wait.h"

namespace epik::patterns {

void ThreadWait::Waited(const replay::ThreadWait& wait) {
  int64_t from = 0, sum = 0;
  for (const replay::ThreadWait::Stretch& stretch : wait.stretches) {
    if (stretch.what != what_) continue;
    if (sum == 0) from = stretch.from;
    sum += OwnTime(wait.call.location, wait.call.enter, stretch.from, stretch.to);
  }
  Add(wait.call.location, wait.call.path, from, sum);
}

}  // namespace epik::patterns
