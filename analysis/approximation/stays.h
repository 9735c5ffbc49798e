// SPDX-License-Identifier: BSD-3-Clause
// A trace of communication lacks most functions. Each of their visits lies within one stay of the thread in the call
// around it, from one point of the trace to the next, because the trace has all calls around a point. So a visit has no
// place in a stay that is shorter. Stays that follow the same call, and are long enough for the same functions, are of
// one kind: between acquiring a lock and its release, say.
#ifndef EPIK_ANALYSIS_APPROXIMATION_STAYS_H_
#define EPIK_ANALYSIS_APPROXIMATION_STAYS_H_

#include <cstdint>
#include <vector>

#include "analysis/graph/graph.h"

namespace epik::approximation {

// The time of a location in a call path between two points.
struct Stay {
  const graph::Graph* graph = nullptr;
  graph::Place before;  // the point at the end of the stay's segment
  uint32_t path = 0;
  int64_t ns = 0;

  uint32_t location() const { return before.location; }
  // Identifies the kind and the call path of the point before the stay.
  uint64_t After() const;
  // Whether it began when the location got a lock.
  bool HasLock() const;

 private:
  const graph::Point* Since() const;
};

// The kinds of the stays of a location in a call path.
class StayKinds {
 public:
  struct Kind {
    uint64_t after = 0;
    uint32_t length = 0;  // the number of `lengths` that its stays reach
    bool has_lock = false;
    uint64_t stays = 0;
    double ns = 0;
    int64_t longest = 0;
  };

  // `lengths` separate the kinds of stays; they ascend.
  explicit StayKinds(std::vector<int64_t> lengths) : lengths_(std::move(lengths)) {}
  void Add(const Stay& stay);

  const std::vector<Kind>& kinds() const { return kinds_; }
  // The number of the stay's kind. If no stay of the kind was added: one like it, or kNone.
  uint32_t Of(const Stay& stay) const;

  // Stays after rarer calls are of one kind, and have this `after`.
  static constexpr uint64_t kOthers = UINT64_MAX;

 private:
  uint32_t LengthOf(int64_t ns) const;
  uint32_t Find(uint64_t after, uint32_t length) const;

  static constexpr size_t kMostKinds = 32;

  std::vector<int64_t> lengths_;
  std::vector<Kind> kinds_;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_STAYS_H_
