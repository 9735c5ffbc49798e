// SPDX-License-Identifier: BSD-3-Clause
// A call that completes several operations waits once, from its begin until the last of them could be completed. Its
// time is cut into stretches. Each stretch belongs to the operation that could be completed at its end.
#ifndef EPIK_ANALYSIS_REPLAY_STRETCHES_H_
#define EPIK_ANALYSIS_REPLAY_STRETCHES_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replay/facts.h"

namespace epik::replay {

// Calls use(arrival, from, to) for each stretch, in the order of time.
template <typename Use>
void ForEachStretch(const Call& call, std::span<const Arrival> arrivals, const Use& use) {
  int64_t from = call.enter;
  const auto take = [&](const Arrival& arrival) {
    const int64_t to = std::min(arrival.ready, call.leave);
    if (to <= from) return;
    use(arrival, from, to);
    from = to;
  };
  if (arrivals.size() == 1) return take(arrivals.front());
  std::vector<const Arrival*> in_order;
  for (const Arrival& arrival : arrivals) {
    if (arrival.ready > from) in_order.push_back(&arrival);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto* one, const auto* other) { return one->ready < other->ready; });
  for (const Arrival* arrival : in_order) take(*arrival);
}

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_STRETCHES_H_
