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
  // Nanoseconds of the segment before a point that go away; negative: that come on top.
  virtual double SavedBefore(uint32_t /*location*/, const graph::Point& /*point*/,
                             std::span<const graph::Cell> /*segment*/) const {
    return 0;
  }
  // Nanoseconds inside of a point that go away, after what it waited for.
  virtual double SavedInside(uint32_t /*location*/, const graph::Point& /*point*/) const { return 0; }
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
