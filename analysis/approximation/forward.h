// SPDX-License-Identifier: BSD-3-Clause
// The forward pass: when each point of a graph would have been had the segments between points, the calls and the
// network taken other times than they did. A point follows from the one before it on its location and from the points
// that it depends on, so happened-before holds in the result whatever the times are.
//
//   Times times = Forward(graph, leaders, transfers, change, rules);
//
// Nothing changed gives the measured times again, except where these violate happened-before.
//
// docs/compensation.md says for each kind of point what is computed, and from which paper it is.
#ifndef EPIK_ANALYSIS_APPROXIMATION_FORWARD_H_
#define EPIK_ANALYSIS_APPROXIMATION_FORWARD_H_

#include <cstdint>
#include <vector>

#include "analysis/approximation/change.h"
#include "analysis/approximation/rules.h"
#include "analysis/approximation/transfers.h"
#include "analysis/graph/graph.h"

namespace epik::approximation {

struct Times {
  std::vector<std::vector<Moment>> points;  // by location
  uint64_t forced = 0;                      // points that depend on each other in a circle: computed by themselves

  const Moment& At(graph::Place place) const { return points[place.location][place.point]; }
  // From the begin of the first point to the end of the last one, of all locations.
  double Begin() const;
  double End() const;
  double Lasted() const { return End() - Begin(); }
  double Lasted(uint32_t location) const;
};

// `leaders`: by location, the first location of its process: threads begin when it has come that far.
Times Forward(const graph::Graph& graph, const std::vector<uint32_t>& leaders, const Transfers& transfers,
              const Change& change, const Rules& rules);

// The times as they were measured.
Times Measured(const graph::Graph& graph);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_FORWARD_H_
