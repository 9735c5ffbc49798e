// SPDX-License-Identifier: BSD-3-Clause
// Which event of a location opened a point of its graph, and which one closed it: so the events can be given the times
// of the points, whatever else happened at the same time.
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
  // Numbers of the location's events, from 0. The end of the trace opens and closes points, too: no event does.
  uint64_t opened = kNever, closed = kNever;
};

class Marks {
 public:
  explicit Marks(size_t locations) : marks_(locations) {}

  // Events of a location on their way into the replay that makes the graph. Whoever makes the graph is told which tests
  // of requests complete something. All outlive what is returned.
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
