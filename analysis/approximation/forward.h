// SPDX-License-Identifier: BSD-3-Clause
// The forward pass computes when each point of a graph would have been, had the segments between points, the calls or
// the network taken other times. A point follows from the one before it on its location and from the points that it
// depends on, so happened-before holds in the result whatever the times are.
//
//   Times times = Forward(graph, leaders, transfers, change, rules);
//
// If nothing changes, the times are the measured ones, except where these violate happened-before.
//
// docs/compensation.md says for each kind of point how it is computed, and from which paper the formula comes.
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
  uint64_t forced = 0;                      // points that depend on each other in a circle: each was computed by itself

  const Moment& At(graph::Place place) const { return points[place.location][place.point]; }
  // From the begin of the first point to the end of the last one, over all locations.
  double Begin() const;
  double End() const;
  double Lasted() const { return End() - Begin(); }
  double Lasted(uint32_t location) const;
};

// `leaders`: for each location, the first location of its process. Threads begin when that location has come that far.
Times Forward(const graph::Graph& graph, const std::vector<uint32_t>& leaders, const Transfers& transfers,
              const Change& change, const Rules& rules);

// The measured times.
Times Measured(const graph::Graph& graph);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_FORWARD_H_
