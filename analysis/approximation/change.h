// SPDX-License-Identifier: BSD-3-Clause
// The difference between an approximated run and the measured one: how much less time it needs, or more, between two
// points and inside a point.
#ifndef EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_
#define EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_

#include <cstdint>
#include <span>

#include "analysis/graph/graph.h"

namespace epik::approximation {

class Change {
 public:
  virtual ~Change() = default;
  // Nanoseconds that each visit of a call path saves; negative: that it takes longer.
  virtual double SavedAtVisit(uint32_t /*location*/, uint32_t /*path*/) const { return 0; }
  // The share of a location's own time in a call path that is saved.
  virtual double SavedShare(uint32_t /*location*/, uint32_t /*path*/) const { return 0; }

  // Nanoseconds that are saved in the segment before a point.
  double SavedBefore(uint32_t location, const graph::Point& point, std::span<const graph::Cell> segment) const {
    double saved = SavedInside(location, point);
    for (const graph::Cell& cell : segment) {
      saved += cell.visits * SavedAtVisit(location, cell.path);
      saved += static_cast<double>(cell.ns) * SavedShare(location, cell.path);
    }
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
