// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/bracket.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/approximation/path_times.h"

namespace epik::approximation {

using archive::kNone;

namespace {

constexpr double kSecond = 1e9;  // ns

Span Ordered(Span span) {
  span.lower = std::clamp(span.lower, 0.0, span.measured);
  span.upper = std::clamp(span.upper, span.lower, span.measured);
  return span;
}

// The wall time that a second of CPU time took, on average: more than a second if other programs had the processors.
double WallOfCpu(const archive::Manifest& manifest) {
  const double running = 1 - manifest.QueuedShare();
  return running > 0 ? 1 / running : 1;
}

// Finds the largest of some values without one of them.
class LargestOfOthers {
 public:
  explicit LargestOfOthers(const std::vector<double>& values) {
    for (size_t v = 0; v < values.size(); ++v) {
      if (values[v] > largest_) {
        second_ = largest_;
        largest_ = values[v];
        at_ = v;
      } else {
        second_ = std::max(second_, values[v]);
      }
    }
  }
  double But(size_t one) const { return one == at_ ? second_ : largest_; }

 private:
  double largest_ = 0, second_ = 0;
  size_t at_ = SIZE_MAX;
};

}  // namespace

Bracket BracketOf(const TracedRun& run, Rules rules) {
  Bracket bracket;
  const Times measured = Measured(*run.graph);
  rules.bound = Bound::kLower;
  const Times lower = run.Without(rules);
  rules.bound = Bound::kUpper;
  const Times upper = run.Without(rules);
  // When clocks out of step put a bound above the measured time, that bound is the measured time.
  const auto span = [](double m, double l, double u) {
    return Ordered({m / kSecond, std::min(l, u) / kSecond, std::max(l, u) / kSecond});
  };
  bracket.job = span(measured.Lasted(), lower.Lasted(), upper.Lasted());
  bracket.forced = lower.forced + upper.forced;
  for (uint32_t l = 0; l < run.graph->locations(); ++l) {
    if (run.graph->size(l) == 0) continue;
    const replay::Location& location = run.world.locations[l];
    bracket.locations.push_back({run.world.processes[location.process].rank, static_cast<int>(location.number),
                                 span(measured.Lasted(l), lower.Lasted(l), upper.Lasted(l))});
  }
  return bracket;
}

Bracket BracketOf(const archive::Profile& profile, const archive::Manifest& manifest) {
  Bracket bracket;
  const Prices prices(profile, manifest);
  const ProfileCost most = CostOf(profile, prices, Bound::kLower), least = CostOf(profile, prices, Bound::kUpper);
  const double stretch = WallOfCpu(manifest);
  const LargestOfOthers largest(most.by_location);
  bool any_waits = false;
  const uint32_t time = profile.FindMetric("time");
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    double elapsed = 0;
    bool waits = false;
    if (time != kNone) {
      const std::vector<double> own = profile.Exclusive(time, l);
      for (uint32_t path = 0; path < own.size(); ++path) {
        elapsed += own[path];
        waits |= own[path] > 0 && MayWait(profile.regions[profile.call_paths[path].region]);
      }
    }
    any_waits |= waits;
    const archive::Location& location = profile.locations[l];
    const int rank = location.process < profile.processes.size() ? profile.processes[location.process].rank : 0;
    // The thread that this one waits for was slowed down by no more than the slowest thread.
    const double others = waits ? largest.But(l) : 0;
    const double lower = elapsed - stretch * (most.by_location[l] + others);
    const double upper = waits ? elapsed : elapsed - stretch * least.by_location[l];
    bracket.locations.push_back({std::max(rank, 0), location.thread, Ordered({elapsed, lower, upper})});
  }
  const double wall = manifest.wall_seconds;
  bracket.job = {wall, manifest.wall_without_least_seconds, any_waits ? wall : manifest.wall_without_most_seconds};
  // Archives of earlier versions do not state it.
  if (manifest.wall_without_seconds <= 0 && manifest.wall_without_most_seconds <= 0) {
    for (const Bracket::Location& location : bracket.locations) {
      bracket.job.lower = std::max(bracket.job.lower, location.span.lower);
    }
    bracket.job.upper = wall;
  } else if (bracket.locations.size() == 1) {
    Span& only = bracket.locations.front().span;
    only = Ordered({only.measured, bracket.job.lower, bracket.job.upper});
  }
  bracket.job = Ordered(bracket.job);
  return bracket;
}

}  // namespace epik::approximation
