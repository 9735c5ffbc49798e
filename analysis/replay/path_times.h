// SPDX-License-Identifier: BSD-3-Clause
// Adds up times by call path, for a stretch of a location's time. Clearing it costs nothing.
#ifndef EPIK_ANALYSIS_REPLAY_PATH_TIMES_H_
#define EPIK_ANALYSIS_REPLAY_PATH_TIMES_H_

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/replay/flat_map.h"
#include "analysis/replay/source.h"

namespace epik::replay {

class PathTimes {
 public:
  PathTime& At(uint32_t path) { return At(path, &last_[path % kHints]); }
  // `place`: a hint where the path may be, because it was there before. The function sets it to the right place.
  PathTime& At(uint32_t path, uint32_t* place) {
    if (*place < times_.size() && times_[*place].path == path) return times_[*place];
    return times_[*place = Find(path)];
  }
  std::span<const PathTime> all() const { return times_; }
  size_t size() const { return times_.size(); }
  void Clear() {
    times_.clear();
    ++stretch_;
  }
  // Moves all times to `other`; none are left.
  void MoveTo(std::vector<PathTime>* other) {
    std::swap(times_, *other);
    Clear();
  }

 private:
  static constexpr size_t kFew = 8;  // so few are searched one by one
  static constexpr uint32_t kHints = 8;

  struct Slot {
    uint32_t path = 0, time = 0;
    uint64_t stretch = 0;  // slots of other stretches are free
  };
  // Returns the place of the path, which is added if it is new.
  [[gnu::noinline]] uint32_t Find(uint32_t path) {
    if (times_.size() > kFew) return FindAmongMany(path);
    for (uint32_t t = 0; t < times_.size(); ++t) {
      if (times_[t].path == path) return t;
    }
    times_.push_back({path, 0, 0});
    if (times_.size() > kFew) Index();
    return static_cast<uint32_t>(times_.size() - 1);
  }
  uint32_t FindAmongMany(uint32_t path) {
    if (slots_.size() <= 2 * times_.size()) Index();
    const size_t mask = slots_.size() - 1;
    size_t i = Mix(path) & mask;
    for (; slots_[i].stretch == stretch_; i = (i + 1) & mask) {
      if (slots_[i].path == path) return slots_[i].time;
    }
    const auto made = static_cast<uint32_t>(times_.size());
    slots_[i] = {path, made, stretch_};
    times_.push_back({path, 0, 0});
    return made;
  }
  // Gives a slot to each path.
  void Index() {
    if (slots_.size() <= 2 * times_.size()) slots_.assign(std::bit_ceil(4 * times_.size()), Slot());
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
  uint32_t last_[kHints] = {};  // where paths were last, by the remainder of their number
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_PATH_TIMES_H_
