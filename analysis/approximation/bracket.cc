// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/bracket.h"

#include <algorithm>

#include "analysis/approximation/path_times.h"

namespace epik::approximation {

using epitome::kNone;

namespace {

constexpr double kSecond = 1e9;  // ns

Span Ordered(Span span) {
  span.lower = std::clamp(span.lower, 0.0, span.measured);
  span.upper = std::clamp(span.upper, span.lower, span.measured);
  return span;
}

}  // namespace

Bracket BracketOf(const TracedRun& run, Rules rules) {
  Bracket bracket;
  const Times measured = Measured(*run.graph);
  rules.bound = Bound::kLower;
  const Times lower = run.Without(rules);
  rules.bound = Bound::kUpper;
  const Times upper = run.Without(rules);
  // A bound that clocks out of step put above what was measured says nothing more than that.
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

Bracket BracketOf(const epitome::Profile& profile, const archive::Manifest& manifest) {
  Bracket bracket;
  const Prices prices(profile, manifest);
  const ProfileCost most = CostOf(profile, prices, Bound::kLower), least = CostOf(profile, prices, Bound::kUpper);
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
    const epitome::Location& location = profile.locations[l];
    const int rank = location.process < profile.processes.size() ? profile.processes[location.process].rank : 0;
    const double upper = waits ? elapsed : elapsed - least.by_location[l];
    bracket.locations.push_back(
        {std::max(rank, 0), location.thread, Ordered({elapsed, elapsed - most.by_location[l], upper})});
  }
  const double wall = manifest.wall_seconds;
  bracket.job = {wall, manifest.wall_without_least_seconds, any_waits ? wall : manifest.wall_without_most_seconds};
  // Archives of earlier versions do not state it.
  if (manifest.wall_without_seconds <= 0) {
    for (const Bracket::Location& location : bracket.locations) {
      bracket.job.lower = std::max(bracket.job.lower, location.span.lower);
    }
    bracket.job.upper = wall;
  }
  bracket.job = Ordered(bracket.job);
  return bracket;
}

}  // namespace epik::approximation
