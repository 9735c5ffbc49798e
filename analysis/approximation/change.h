// SPDX-License-Identifier: BSD-3-Clause
// In what a run that is approximated differs from the measured one: by how much it needs less time, or more, between
// two points and inside of one.
#ifndef EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_
#define EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_

#include <cstdint>
#include <span>

#include "analysis/graph/graph.h"

namespace epik::approximation {

class Change {
 public:
  virtual ~Change() = default;
  // Nanoseconds that go away with each visit of a call path; negative: that come on top.
  virtual double SavedAtVisit(uint32_t /*location*/, uint32_t /*path*/) const { return 0; }
  // The share that goes away of the time that a location spends in a call path itself.
  virtual double SavedShare(uint32_t /*location*/, uint32_t /*path*/) const { return 0; }

  // Nanoseconds of the segment before a point that go away.
  double SavedBefore(uint32_t location, const graph::Point& point, std::span<const graph::Cell> segment) const {
    double saved = SavedInside(location, point);
    for (const graph::Cell& cell : segment) {
      saved += cell.visits * SavedAtVisit(location, cell.path);
      saved += static_cast<double>(cell.ns) * SavedShare(location, cell.path);
    }
    return saved;
  }
  // Nanoseconds inside of a point that go away, after what it waited for: a call is entered half before its time stamps
  // and half between them; so is it left.
  double SavedInside(uint32_t location, const graph::Point& point) const {
    const bool is_visit = point.kind == graph::PointKind::kCall && !point.continues;
    return is_visit ? SavedAtVisit(location, point.path) / 2 : 0;
  }
};

// Gives the time of a message or an operation on another network than that of the run.
class Network {
 public:
  virtual ~Network() = default;
  // Nanoseconds from when all are there until the last one has it; `members` 2 for a message.
  virtual double Takes(uint64_t bytes, uint32_t members) const = 0;
  // Whether a call takes time by itself. On an ideal network only waiting takes time.
  virtual bool CallsTakeTime() const = 0;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_CHANGE_H_
