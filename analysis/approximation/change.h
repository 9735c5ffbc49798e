// SPDX-License-Identifier: BSD-3-Clause
// The difference between an approximated run and the measured one: how much less time it needs, or more, between two
// points and inside a point.
#ifndef EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_
#define EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_

#include <cstdint>

#include "analysis/approximation/stays.h"
#include "analysis/graph/graph.h"

namespace epik::approximation {

class Change {
 public:
  virtual ~Change() = default;
  // Nanoseconds that each visit of a call path saves; negative: that it takes longer.
  virtual double SavedAtVisit(uint32_t /*location*/, uint32_t /*path*/) const { return 0; }
  // The share of a location's own time in a call path that is saved.
  virtual double SavedShare(uint32_t /*location*/, uint32_t /*path*/) const { return 0; }
  // The share of the time of a single stay in a call path.
  virtual double SavedShareIn(const Stay& stay) const { return SavedShare(stay.location(), stay.path); }

  // Nanoseconds that are saved in a cell of the segment before a point.
  double SavedIn(const graph::Graph& graph, graph::Place place, const graph::Cell& cell) const {
    return cell.visits * SavedAtVisit(place.location, cell.path) +
           static_cast<double>(cell.ns) * SavedShareIn({&graph, place, cell.path, cell.ns});
  }
  // Nanoseconds that are saved in the segment before a point.
  double SavedBefore(const graph::Graph& graph, graph::Place place) const {
    const graph::Point& point = graph.At(place);
    double saved = SavedInside(place.location, point);
    for (const graph::Cell& cell : graph.Segment(point)) saved += SavedIn(graph, place, cell);
    return saved;
  }
  // Nanoseconds that are saved inside a point, after its waits. Half of an enter is before the time stamps of a call
  // and half between them, and so is half of an exit.
  double SavedInside(uint32_t location, const graph::Point& point) const {
    const bool is_visit = point.kind == graph::PointKind::kCall && !point.continues;
    return is_visit ? SavedAtVisit(location, point.path) / 2 : 0;
  }
};

// Gives the time of a message or an operation on a network that the run did not have.
class Network {
 public:
  virtual ~Network() = default;
  // Nanoseconds from when all members are there until the last one has the data; `members` is 2 for a message.
  virtual double Takes(uint64_t bytes, uint32_t members) const = 0;
  // Whether a call takes time of its own. On an ideal network only waiting takes time.
  virtual bool CallsTakeTime() const = 0;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_
