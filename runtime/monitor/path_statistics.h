// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the calls of a call path, fast enough for many calls a microsecond: they divide and sort only when they
// are shown. The figures are those of event::Running.
#ifndef EPIK_RUNTIME_MONITOR_PATH_STATISTICS_H_
#define EPIK_RUNTIME_MONITOR_PATH_STATISTICS_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/event/summary.h"

namespace epik::monitor {

struct TimedCall {
  uint64_t time;  // when it began
  double total, arrival, departure;
};

// An object of all zeros has no values.
class Sums {
 public:
  void Add(double value) {
    if (count_++ == 0) pivot_ = min_ = max_ = value;
    // Sums of squared differences to one of the values lose no digits that matter.
    const double step = value - pivot_;
    sum_ += step;
    squares_ += step * step;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  uint64_t count() const { return count_; }
  // Returns the summary of the values since the last time, without a median.
  event::Summary Take() {
    if (count_ == 0) return {};
    const double all = static_cast<double>(count_), mean = sum_ / all;
    const event::Summary taken = {count_, pivot_ + mean, std::max(0.0, squares_ - sum_ * mean), min_, max_, 0};
    *this = {};
    return taken;
  }

 private:
  uint64_t count_;
  double pivot_, sum_, squares_, min_, max_;
};

// The hundred calls that began last, of calls that come in any order. It is fastest if the latest come first. An object
// of all zeros has no calls.
class LatestCalls {
 public:
  bool Takes(uint64_t time) const { return time >= oldest_; }
  // REQUIRES: it takes the call.
  void Add(const TimedCall& call) {
    calls_[count_++] = call;
    if (count_ == kRoom) Forget();
  }
  // The mean of the middle two if their number is even.
  double Median(double TimedCall::*value) {
    if (count_ > kWindow) Forget();
    if (count_ == 0) return 0;
    double sorted[kWindow];
    for (uint32_t i = 0; i < count_; ++i) sorted[i] = calls_[i].*value;
    double* const middle = sorted + count_ / 2;
    std::nth_element(sorted, middle, sorted + count_);
    return count_ % 2 == 1 ? *middle : (*std::max_element(sorted, middle) + *middle) / 2;
  }

 private:
  static constexpr uint32_t kWindow = event::Running::kWindow;
  static constexpr uint32_t kRoom = 256;

  void Forget() {
    TimedCall* const last = calls_ + kWindow - 1;
    std::nth_element(calls_, last, calls_ + count_,
                     [](const TimedCall& one, const TimedCall& other) { return one.time > other.time; });
    count_ = kWindow;
    oldest_ = last->time;
  }

  uint64_t oldest_;  // calls that began before this are not among them
  uint32_t count_;
  TimedCall calls_[kRoom];
};

struct PathStatistics {
  Sums total, arrival, departure;
  LatestCalls latest;

  // Adds those calls of a page that are bits of `calls`, the latest first. `last`, `first`: as in PageNews. Returns the
  // sum of their waiting times. A call that ends before the last one comes does not wait for it.
  uint64_t Add(const uint64_t* entered, const uint64_t* left, const uint64_t* last, const uint64_t* first,
               uint32_t calls) {
    Sums of_total = total, of_arrival = arrival, of_departure = departure;  // in registers
    uint64_t waited = 0;
    while (calls != 0) {
      const auto i = static_cast<uint32_t>(31 - std::countl_zero(calls));
      calls ^= 1u << i;
      const uint64_t from = entered[i], took = left[i] - from, waits = last[i] <= left[i] ? last[i] - from : 0;
      waited += waits;
      const TimedCall call = {from, Real(took), Real(waits), Real(left[i] - first[i])};
      of_total.Add(call.total);
      of_arrival.Add(call.arrival);
      of_departure.Add(call.departure);
      if (latest.Takes(from)) latest.Add(call);
    }
    total = of_total;
    arrival = of_arrival;
    departure = of_departure;
    return waited;
  }

 private:
  // Converts by a signed number, because that takes one instruction.
  static double Real(uint64_t ticks) { return static_cast<double>(static_cast<int64_t>(ticks)); }
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_PATH_STATISTICS_H_
