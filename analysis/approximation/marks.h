// SPDX-License-Identifier: BSD-3-Clause
// Tells which event of a location opened a point of its graph, and which one closed it. So the events get the times of
// the points, even if other events happened at the same time.
#ifndef EPIK_ANALYSIS_APPROXIMATION_MARKS_H_
#define EPIK_ANALYSIS_APPROXIMATION_MARKS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/graph/builder.h"
#include "analysis/graph/graph.h"
#include "analysis/replay/source.h"

namespace epik::approximation {

struct Mark {
  static constexpr uint64_t kNever = ~uint64_t{0};
  // Numbers of the location's events, from 0. The end of the trace opens and closes points, too, without an event.
  uint64_t opened = kNever, closed = kNever;
};

class Marks {
 public:
  explicit Marks(size_t locations) : marks_(locations) {}

  // Passes the events of a location on to the replay that makes the graph. Tells the builder of the graph which tests
  // of requests complete something. All arguments outlive the source that is returned.
  std::unique_ptr<replay::EventSource> Watch(uint32_t location, const replay::World* world, const graph::Graph* graph,
                                             graph::GraphBuilder* builder, std::unique_ptr<replay::EventSource> source);
  Mark At(graph::Place place) const {
    const std::vector<Mark>& of = marks_[place.location];
    return place.point < of.size() ? of[place.point] : Mark();
  }

 private:
  std::vector<std::vector<Mark>> marks_;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_MARKS_H_
