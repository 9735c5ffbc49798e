// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/progress.h"

namespace epik::monitor {

namespace {

// The latest half minute tells how fast the program is now. A shorter time would be all noise where a step takes
// seconds.
constexpr double kSeconds = 30;

}  // namespace

void Progress::Add(double time, double visits) {
  visits_ = visits;
  if (total_ <= 0 || (!seen_.empty() && time <= seen_.back().time)) return;
  seen_.push_back({time, visits});
  while (seen_.size() > 2 && seen_[1].time <= time - kSeconds) seen_.pop_front();
}

bool Progress::HasRemaining() const {
  return seen_.size() > 1 && seen_.back().visits < total_ && seen_.back().visits > seen_.front().visits;
}

double Progress::Remaining() const {
  if (IsDone()) return 0;
  const Seen &first = seen_.front(), &last = seen_.back();
  return (total_ - last.visits) * (last.time - first.time) / (last.visits - first.visits);
}

}  // namespace epik::monitor
