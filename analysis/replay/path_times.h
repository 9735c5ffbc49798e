// SPDX-License-Identifier: BSD-3-Clause
// Adds up times by call path, for a stretch of a location's time. Empty again at no cost.
#ifndef EPIK_ANALYSIS_REPLAY_PATH_TIMES_H_
#define EPIK_ANALYSIS_REPLAY_PATH_TIMES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replay/flat_map.h"
#include "analysis/replay/source.h"

namespace epik::replay {

class PathTimes {
 public:
  PathTime& At(uint32_t path) {
    if (last_ < times_.size() && times_[last_].path == path) return times_[last_];
    if (slots_.size() <= 2 * times_.size()) Widen();
    const size_t mask = slots_.size() - 1;
    size_t i = Mix(path) & mask;
    for (; slots_[i].stretch == stretch_; i = (i + 1) & mask) {
      if (slots_[i].path == path) return times_[last_ = slots_[i].time];
    }
    slots_[i] = {path, last_ = static_cast<uint32_t>(times_.size()), stretch_};
    times_.push_back({path, 0, 0});
    return times_.back();
  }
  std::span<const PathTime> all() const { return times_; }
  size_t size() const { return times_.size(); }
  void Clear() {
    times_.clear();
    ++stretch_;
  }

 private:
  struct Slot {
    uint32_t path = 0, time = 0;
    uint64_t stretch = 0;  // slots of other stretches are free
  };
  void Widen() {
    slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), Slot());
    const size_t mask = slots_.size() - 1;
    for (uint32_t t = 0; t < times_.size(); ++t) {
      size_t i = Mix(times_[t].path) & mask;
      while (slots_[i].stretch == stretch_) i = (i + 1) & mask;
      slots_[i] = {times_[t].path, t, stretch_};
    }
  }

  std::vector<PathTime> times_;
  std::vector<Slot> slots_;
  uint64_t stretch_ = 1;
  uint32_t last_ = 0;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_PATH_TIMES_H_
