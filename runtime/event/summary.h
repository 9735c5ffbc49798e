// SPDX-License-Identifier: BSD-3-Clause
// Statistics of values that have a time each. They are computed over all values, but the median over the latest
// hundred.
#ifndef EPIK_RUNTIME_EVENT_SUMMARY_H_
#define EPIK_RUNTIME_EVENT_SUMMARY_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace epik::event {

// The summary of a set of values. Summaries of two sets add up to the summary of both, so they can go up the tree of a
// scope.
struct Summary {
  uint64_t count = 0;
  double mean = 0, squares = 0, min = 0, max = 0;
  double median = 0;  // of the latest

  void Add(double value) {
    ++count;
    const double step = value - mean;
    mean += step / static_cast<double>(count);
    squares += step * (value - mean);
    min = count == 1 ? value : std::min(min, value);
    max = count == 1 ? value : std::max(max, value);
  }
  // `later` may come from the same place: then its median is the newer one.
  void Merge(const Summary& later) {
    if (later.count == 0) return;
    const double mine = static_cast<double>(count), theirs = static_cast<double>(later.count), all = mine + theirs;
    const double step = later.mean - mean;
    squares += later.squares + step * step * mine * theirs / all;
    mean += step * theirs / all;
    min = count == 0 ? later.min : std::min(min, later.min);
    max = count == 0 ? later.max : std::max(max, later.max);
    count += later.count;
    median = later.median;
  }
  // Returns the summary of the same values in another unit.
  Summary Scaled(double unit) const {
    return {count, mean * unit, squares * unit * unit, min * unit, max * unit, median * unit};
  }
  // The standard deviation of exactly these values, not an estimate for a larger set.
  double Deviation() const { return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count)); }
};

// The latest values are those with the latest times, in whatever order they are added: a job and a monitor put the
// calls of several communicators together in different orders.
class Running {
 public:
  static constexpr size_t kWindow = 100;

  void Add(double value, double time) {
    fresh_.Add(value);
    if (count_ == kWindow) {
      if (time < latest_[oldest_].time) return;
      oldest_ = (oldest_ + 1) % kWindow;
    } else {
      ++count_;
    }
    // The value is nearly always the newest one.
    size_t place = count_ - 1;
    for (; place > 0 && time < At(place - 1).time; --place) At(place) = At(place - 1);
    At(place) = {time, value};
  }

  // Returns the summary of the values since the last call; its median is that of the latest values of all.
  Summary Take() {
    Summary taken = fresh_;
    taken.median = Median();
    fresh_ = {};
    return taken;
  }
  bool has_fresh() const { return fresh_.count != 0; }

 private:
  struct Timed {
    double time, value;
  };

  Timed& At(size_t place) { return latest_[(oldest_ + place) % kWindow]; }

  // The mean of the middle two if their number is even.
  double Median() const {
    if (count_ == 0) return 0;
    std::array<double, kWindow> sorted = {};
    for (size_t i = 0; i < count_; ++i) sorted[i] = latest_[i].value;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count_ / 2);
    std::nth_element(sorted.begin(), middle, end);
    return count_ % 2 == 1 ? *middle : (*std::max_element(sorted.begin(), middle) + *middle) / 2;
  }

  Summary fresh_;
  std::array<Timed, kWindow> latest_ = {};  // sorted by time, from the oldest on
  size_t count_ = 0, oldest_ = 0;
};

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_SUMMARY_H_
