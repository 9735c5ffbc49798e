// SPDX-License-Identifier: BSD-3-Clause
// Converts the ticks of one process to the time of the whole job: nanoseconds of rank 0's clock.
#ifndef EPIK_ARCHIVE_TRACE_CLOCK_H_
#define EPIK_ARCHIVE_TRACE_CLOCK_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace epik::archive {

// A process knows these facts about its clock when it ends.
struct ClockFacts {
  uint64_t ticks = 0;  // a time, by its timer …
  uint64_t ns = 0;     // … and by its CLOCK_MONOTONIC_RAW
  double seconds_per_tick = 1e-9;
  struct Offset {
    int64_t at_ns = 0;      // own CLOCK_MONOTONIC_RAW
    int64_t offset_ns = 0;  // add it for rank 0's clock
    int64_t error_ns = 0;
  };
  std::vector<Offset> offsets;  // as measured, in order
};

// Straight lines lead from each measured offset to the next; the first and the last line go on beyond. The time never
// runs backwards, so that events that are in order stay in order. If facts or times are forged, the result is a time at
// the limit.
class Clock {
 public:
  Clock() : lines_{{0, 0, 1}} {}
  // `origin`: this time of rank 0, in nanoseconds, becomes 0.
  explicit Clock(const ClockFacts& facts, int64_t origin = 0) {
    const bool sane = std::isfinite(facts.seconds_per_tick * 1e9) && facts.seconds_per_tick > 0;
    const double slope = sane ? facts.seconds_per_tick * 1e9 : 1;
    const auto ns = static_cast<int64_t>(std::min<uint64_t>(facts.ns, kFarthest));
    const auto origin_ticks = static_cast<int64_t>(std::min<uint64_t>(facts.ticks, kFarthest));
    origin = Near(origin);
    std::vector<ClockFacts::Offset> offsets;
    for (const ClockFacts::Offset& o : facts.offsets) offsets.push_back({Near(o.at_ns), Near(o.offset_ns), o.error_ns});
    const ClockFacts::Offset* last = nullptr;
    for (const ClockFacts::Offset& offset : offsets) {
      if (last == nullptr) {
        lines_.push_back({origin_ticks, ns + offset.offset_ns - origin, slope});
        last = &offset;
        continue;
      }
      if (offset.at_ns <= last->at_ns) continue;
      const double drift =
          static_cast<double>(offset.offset_ns - last->offset_ns) / static_cast<double>(offset.at_ns - last->at_ns);
      if (!(std::abs(drift) < kMostDrift)) continue;
      // The line through both offsets begins at the earlier one; the first line also covers all earlier times.
      const double since = Near(static_cast<double>(last->at_ns - ns) / slope);
      const Line line = {origin_ticks + static_cast<int64_t>(since + std::copysign(0.5, since)),
                         last->at_ns + last->offset_ns - origin, slope * (1 + drift)};
      if (lines_.size() == 1 && last == &offsets.front()) {
        lines_.back() = line;
      } else if (line.ticks > lines_.back().ticks && line.ns >= lines_.back().ns) {
        lines_.push_back(line);
      }
      last = &offset;
    }
    if (lines_.empty()) lines_.push_back({origin_ticks, ns - origin, slope});
  }

  int64_t Ns(uint64_t ticks) const {
    if (lines_.size() == 1) return At(lines_.front(), ticks);
    const size_t l = Find([&](const Line& line) { return Since(ticks, line) >= 0; });
    const Line& line = lines_[l];
    const int64_t ns = At(line, ticks);
    // Rounding must not lead beyond the begin of the next line, nor before the begin of this one.
    return l + 1 < lines_.size() ? std::min(ns, lines_[l + 1].ns) : ns;
  }
  // Returns the first tick that is not before `ns`.
  uint64_t Ticks(int64_t ns) const {
    ns = std::clamp(ns, -4 * kFarthest, 4 * kFarthest);
    const Line& line = lines_[Find([&](const Line& l) { return ns >= l.ns; })];
    const double about = std::ceil(static_cast<double>(ns - line.ns) / line.slope) + static_cast<double>(line.ticks);
    if (about <= 0) return 0;
    if (about >= 9e18) return ~uint64_t{0};
    auto ticks = static_cast<uint64_t>(about);
    // Rounding may be off by one tick, or by a few when a tick is shorter than a nanosecond.
    for (int i = 0; i < kNeighbours && ticks > 0 && Ns(ticks - 1) >= ns; ++i) --ticks;
    for (int i = 0; i < kNeighbours && Ns(ticks) < ns; ++i) ++ticks;
    return ticks;
  }

 private:
  struct Line {
    int64_t ticks;  // begin of the line, even if that is before the begin of the timer …
    int64_t ns;     // … and the time of it
    double slope;   // nanoseconds in a tick
  };
  // Clocks of working machines do not drift apart this fast: an offset was measured wrong.
  static constexpr double kMostDrift = 0.01;
  static constexpr int kNeighbours = 8;

  // The sum of three of them still fits.
  static constexpr int64_t kFarthest = INT64_MAX / 8;
  static int64_t Near(int64_t number) { return std::clamp(number, -kFarthest, kFarthest); }
  static double Near(double number) {
    constexpr auto kMost = static_cast<double>(kFarthest);
    return std::min(std::max(number, -kMost), kMost);
  }

  static int64_t Since(uint64_t ticks, const Line& line) {
    return static_cast<int64_t>(std::min<uint64_t>(ticks, 4 * kFarthest)) - line.ticks;
  }
  // The time of every event comes here, so it is rounded without a call of libm.
  static int64_t At(const Line& line, uint64_t ticks) {
    const double ns = Near(static_cast<double>(Since(ticks, line)) * line.slope);
    return line.ns + static_cast<int64_t>(ns + std::copysign(0.5, ns));
  }

  // Returns the last line that has begun, or the first if none has.
  template <class HasBegun>
  size_t Find(HasBegun has_begun) const {
    if (lines_.size() == 1) return 0;
    const auto next = std::partition_point(lines_.begin() + 1, lines_.end(), has_begun);
    return static_cast<size_t>(next - lines_.begin()) - 1;
  }

  std::vector<Line> lines_;  // ascending
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_CLOCK_H_
