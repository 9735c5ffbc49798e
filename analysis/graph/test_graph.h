// SPDX-License-Identifier: BSD-3-Clause
// Makes the graph of a script, for tests.
#ifndef EPIK_ANALYSIS_GRAPH_TEST_GRAPH_H_
#define EPIK_ANALYSIS_GRAPH_TEST_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/graph/graph.h"
#include "analysis/replay/source.h"
#include "analysis/replay/test_script.h"

namespace epik::graph {

struct Made {
  std::unique_ptr<Graph> graph;
  uint64_t unplaced = 0;
};

Made Make(const replay::World& world, std::vector<std::unique_ptr<replay::EventSource>> sources,
          size_t bytes_in_memory = Graph::kBytesInMemory);
Made Make(replay::Script* script);

}  // namespace epik::graph

#endif  // EPIK_ANALYSIS_GRAPH_TEST_GRAPH_H_
