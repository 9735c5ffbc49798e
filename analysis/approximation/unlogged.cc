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
  for (uint32_t l = 0; l < graph.locations(); ++l) logged_.push_back(LoggedOf(graph, l));
}

// The last element stands for time of which the trace says nothing.
Unlogged::Logged Unlogged::LoggedOf(const graph::Graph& graph, uint32_t location) const {
  const size_t paths = profile_->call_paths.size();
  Logged logged{std::vector<double>(paths + 1), std::vector<double>(paths + 1)};
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

Densities Unlogged::Spread(const Worth& worth) const {
  Densities densities;
  densities.of_.resize(logged_.size());
  const uint32_t metric = profile_->FindMetric("visits");
  const size_t paths = profile_->call_paths.size();
  if (metric == kNone) return densities;
  for (uint32_t l = 0; l < logged_.size(); ++l) {
    if (columns_[l] >= profile_->locations.size()) continue;
    const Logged& logged = logged_[l];
    std::vector<double> below(paths + 1);  // what callees without a record are worth, all of their levels
    // Callees come after their callers.
    for (size_t path = paths; path-- > 0;) {
      const auto number = static_cast<uint32_t>(path);
      const double visits =
          profile_->values[metric].Has(number) ? profile_->values[metric].Real(number, columns_[l]) : 0;
      const double missing = std::max(0.0, visits - logged.visits[path]);
      const double share = visits > 0 ? std::min(1.0, missing / visits) : 0;
      // Callees of a call path that is logged now and then are logged with it.
      const double stays = logged.ns[path] > 0 ? below[path] * (1 - share) : 0;
      if (stays != 0) densities.of_[l][number] = stays / logged.ns[path];
      const double own = missing > 0 ? worth(number, columns_[l], missing, share) : 0;
      const uint32_t parent = profile_->call_paths[path].parent;
      below[parent == kNone ? paths : parent] += below[path] - stays + own;
    }
    if (below[paths] != 0 && logged.ns[paths] > 0) densities.of_[l][kNone] = below[paths] / logged.ns[paths];
  }
  return densities;
}

}  // namespace epik::approximation
