// SPDX-License-Identifier: BSD-3-Clause
// From the ticks of one process to the time of all: nanoseconds of rank 0's clock.
#ifndef EPIK_RUNTIME_EPILOG_CLOCK_H_
#define EPIK_RUNTIME_EPILOG_CLOCK_H_

#include <cmath>
#include <cstdint>

namespace epik::epilog {

// What a process knew of its clock at its end.
struct ClockFacts {
  uint64_t ticks = 0;  // a moment, by its timer …
  uint64_t ns = 0;     // … and by its CLOCK_MONOTONIC_RAW
  double seconds_per_tick = 1e-9;
  uint32_t offsets = 0;  // how many of the following are there
  struct Offset {
    int64_t at_ns = 0;      // own CLOCK_MONOTONIC_RAW
    int64_t offset_ns = 0;  // to be added for rank 0's
    int64_t error_ns = 0;
  } offset[2];
};

// A straight line through what is known. It never falls, so that what is in order stays so.
class Clock {
 public:
  Clock() = default;
  // `origin`: rank 0's nanoseconds that become 0.
  explicit Clock(const ClockFacts& facts, int64_t origin = 0) : ticks_(facts.ticks) {
    slope_ = std::isfinite(facts.seconds_per_tick) && facts.seconds_per_tick > 0 ? facts.seconds_per_tick * 1e9 : 1;
    const auto ns = static_cast<int64_t>(facts.ns);
    int64_t offset = facts.offsets > 0 ? facts.offset[0].offset_ns : 0;
    if (facts.offsets > 1 && facts.offset[1].at_ns > facts.offset[0].at_ns) {
      const double drift = static_cast<double>(facts.offset[1].offset_ns - facts.offset[0].offset_ns) /
                           static_cast<double>(facts.offset[1].at_ns - facts.offset[0].at_ns);
      if (std::abs(drift) < 0.01) {
        offset += static_cast<int64_t>(std::llround(static_cast<double>(ns - facts.offset[0].at_ns) * drift));
        slope_ *= 1 + drift;
      }
    }
    base_ = ns + offset - origin;
  }

  int64_t Ns(uint64_t ticks) const {
    return base_ +
           static_cast<int64_t>(std::llround(static_cast<double>(static_cast<int64_t>(ticks - ticks_)) * slope_));
  }
  // The first tick that is not before `ns`, as far as rounding goes.
  uint64_t Ticks(int64_t ns) const {
    const double ticks = std::ceil(static_cast<double>(ns - base_) / slope_) + static_cast<double>(ticks_);
    return ticks <= 0 ? 0 : ticks >= 1.8e19 ? ~uint64_t{0} : static_cast<uint64_t>(ticks);
  }
  double ns_per_tick() const { return slope_; }

 private:
  uint64_t ticks_ = 0;
  int64_t base_ = 0;
  double slope_ = 1;
};

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_CLOCK_H_
