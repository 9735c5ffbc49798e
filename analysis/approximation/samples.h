// SPDX-License-Identifier: BSD-3-Clause
// Messages of a trace show how long messages take: these functions look at them.
#ifndef EPIK_ANALYSIS_APPROXIMATION_SAMPLES_H_
#define EPIK_ANALYSIS_APPROXIMATION_SAMPLES_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analysis/graph/graph.h"

namespace epik::approximation {

constexpr size_t kEnough = 4096;  // this many messages of a size show the usual time

// REQUIRES: there are some.
inline double Middle(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

// Returns the message of a point that received a single one and did nothing else. Only such a point shows how long a
// message took. Null: it is no such point.
inline const graph::Edge* OnlyMessage(const graph::Graph& graph, const graph::Point& point) {
  if (point.operation.role == replay::Role::kTest) return nullptr;  // an earlier call may have copied the message
  const graph::Edge* message = nullptr;
  size_t edges = 0;
  graph.ForEachEdge(point, [&](const graph::Edge& edge) {
    ++edges;
    if (edge.kind == graph::EdgeKind::kMessage && edge.partner.IsKnown()) message = &edge;
  });
  return edges == 1 ? message : nullptr;
}

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_SAMPLES_H_
