// SPDX-License-Identifier: BSD-3-Clause
// Knows what threads did within calls that may wait: handlers of signals, an MPI_Op of the program, callbacks, cleanup
// handlers. That time belongs to these functions, and is no waiting of the call around them.
#ifndef EPIK_ANALYSIS_REPLAY_INTERRUPTIONS_H_
#define EPIK_ANALYSIS_REPLAY_INTERRUPTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace epik::replay {

class Interruptions {
 public:
  static constexpr size_t kMost = 1 << 16;  // remembered for each location; older ones are forgotten

  explicit Interruptions(size_t locations) : of_(locations) {}

  // Interruptions of a location come in the order of their ends.
  void Add(uint32_t location, int64_t from, int64_t to) {
    std::vector<Stretch>& all = of_[location];
    if (to <= from) return;
    if (all.size() == kMost) all.erase(all.begin(), all.begin() + kMost / 2);
    all.push_back({from, to});
  }

  // Returns how much of the time between `from` and `to` belongs to a call that began at `since`. Interruptions that
  // began before `since` are around the call.
  int64_t Own(uint32_t location, int64_t since, int64_t from, int64_t to) const {
    int64_t own = std::max<int64_t>(to - from, 0), until = to;
    const std::vector<Stretch>& all = of_[location];
    for (auto inner = all.rbegin(); inner != all.rend() && inner->to > from; ++inner) {
      if (inner->from < since || inner->from >= until) continue;
      own -= std::min(inner->to, until) - std::max(inner->from, from);
      until = inner->from;
    }
    return own;
  }

 private:
  struct Stretch {
    int64_t from, to;
  };
  std::vector<std::vector<Stretch>> of_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_INTERRUPTIONS_H_
