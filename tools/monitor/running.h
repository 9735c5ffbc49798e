// SPDX-License-Identifier: BSD-3-Clause
// Statistics of values that come one after the other: of all of them, and the median of the latest hundred.
#ifndef EPIK_TOOLS_MONITOR_RUNNING_H_
#define EPIK_TOOLS_MONITOR_RUNNING_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace epik::monitor {

class Running {
 public:
  static constexpr size_t kWindow = 100;

  void Add(double value) {
    ++count_;
    const double step = value - mean_;
    mean_ += step / static_cast<double>(count_);
    squares_ += step * (value - mean_);
    min_ = count_ == 1 ? value : std::min(min_, value);
    max_ = count_ == 1 ? value : std::max(max_, value);
    latest_[(count_ - 1) % kWindow] = value;
  }

  uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  double min() const { return min_; }
  double max() const { return max_; }
  // Of all values there were, not an estimate for more of them.
  double deviation() const { return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_)); }
  // Of two in the middle, the mean.
  double median() const {
    const size_t count = std::min<size_t>(count_, kWindow);
    if (count == 0) return 0;
    std::array<double, kWindow> sorted = latest_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(sorted.begin(), end);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  }

 private:
  uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0, min_ = 0, max_ = 0;
  std::array<double, kWindow> latest_ = {};
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_RUNNING_H_
