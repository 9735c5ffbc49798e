// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/unlogged.h"

#include <algorithm>

namespace epik::approximation {

using epitome::kNone;
using graph::Cell;
using graph::Point;
using graph::PointKind;

Unlogged::Unlogged(const graph::Graph& graph, const epitome::Profile* profile, std::vector<uint32_t> columns)
    : profile_(profile), columns_(std::move(columns)) {
  const bool has_visits = profile_->FindMetric("visits") != kNone;
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    Logged& logged = logged_.emplace_back(LoggedOf(graph, l));
    if (!has_visits || columns_[l] >= profile_->locations.size()) continue;
    CountMissing(columns_[l], &logged);
    FindStays(columns_[l], &logged);
  }
}

// The last element stands for time of which the trace says nothing.
Unlogged::Logged Unlogged::LoggedOf(const graph::Graph& graph, uint32_t location) const {
  const size_t paths = profile_->call_paths.size();
  Logged logged;
  logged.visits.resize(paths + 1);
  logged.ns.resize(paths + 1);
  for (uint32_t p = 0; p < graph.size(location); ++p) {
    const Point& point = graph.At({location, p});
    if (point.kind == PointKind::kCall && !point.continues && point.path < paths) ++logged.visits[point.path];
    for (const Cell& cell : graph.Segment(point)) {
      const size_t path = std::min<size_t>(cell.path, paths);
      logged.visits[path] += cell.visits;
      logged.ns[path] += static_cast<double>(cell.ns);
    }
  }
  return logged;
}

void Unlogged::CountMissing(uint32_t column, Logged* logged) const {
  const uint32_t metric = profile_->FindMetric("visits");
  const size_t paths = profile_->call_paths.size();
  logged->missing.assign(paths, 0);
  logged->share.assign(paths, 0);
  for (uint32_t path = 0; path < paths; ++path) {
    const auto& values = profile_->values[metric];
    const double visits = values.Has(path) ? values.Real(path, column) : 0;
    logged->missing[path] = std::max(0.0, visits - logged->visits[path]);
    if (visits > 0) logged->share[path] = std::min(1.0, logged->missing[path] / visits);
  }
}

// Some visits of a call path are logged, and others are not. The logged ones have a proportional share of its callees,
// but no more than the trace has time for.
void Unlogged::FindStays(uint32_t column, Logged* logged) const {
  const uint32_t metric = profile_->FindMetric("time");
  const size_t paths = profile_->call_paths.size();
  const std::vector<double> own = metric == kNone ? std::vector<double>(paths) : profile_->Exclusive(metric, column);
  std::vector<double> below(paths + 1);  // nanoseconds of callees without a record, all of their levels
  logged->stays.assign(paths, 0);
  // Callees come after their callers.
  for (size_t path = paths; path-- > 0;) {
    const double share = logged->share[path], its_own = own[path] * 1e9;
    if (logged->ns[path] > 0) {
      const double room = std::max(0.0, logged->ns[path] - its_own * (1 - share));
      logged->stays[path] = share > 0 && below[path] > 0 ? std::min(1 - share, room / below[path]) : 1 - share;
    }
    const uint32_t parent = profile_->call_paths[path].parent;
    below[parent == kNone ? paths : parent] += below[path] * (1 - logged->stays[path]) + its_own * share;
  }
}

Densities Unlogged::Spread(const Worth& worth) const {
  Densities densities;
  densities.of_.resize(logged_.size());
  const size_t paths = profile_->call_paths.size();
  for (uint32_t l = 0; l < logged_.size(); ++l) {
    const Logged& logged = logged_[l];
    if (logged.stays.empty()) continue;
    std::vector<double> below(paths + 1);  // what callees without a record are worth, all of their levels
    for (size_t path = paths; path-- > 0;) {
      const auto number = static_cast<uint32_t>(path);
      const double stays = below[path] * logged.stays[path], missing = logged.missing[path];
      if (stays != 0) densities.of_[l][number] = stays / logged.ns[path];
      const double own = missing > 0 ? worth(number, columns_[l], missing, logged.share[path]) : 0;
      const uint32_t parent = profile_->call_paths[path].parent;
      below[parent == kNone ? paths : parent] += below[path] - stays + own;
    }
    if (below[paths] != 0 && logged.ns[paths] > 0) densities.of_[l][kNone] = below[paths] / logged.ns[paths];
  }
  return densities;
}

}  // namespace epik::approximation
