// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/waiting.h"

#include <algorithm>
#include <utility>

namespace epik::monitor {

namespace {

// A call that has ended is told a moment later. When others were told for this long, it will never be: its notes are
// lost, or nobody waited in it.
constexpr double kLatestSeconds = 2;

}  // namespace

double Waiting::Add(double time, double ended, double lasting, double most) {
  ended_ += ended;
  const double all = ended_ + lasting, more = all - shown_;
  if (!std::exchange(has_begun_, true) || more >= 0) {
    shown_ = all;
    late_ = 0;
    return std::clamp(more, 0.0, std::max(0.0, most));
  }
  if (ended > 0 && late_++ == 0) since_ = time;
  if (late_ < 2 || time - since_ < kLatestSeconds) return 0;
  shown_ = all;
  late_ = 0;
  return 0;
}

}  // namespace epik::monitor
