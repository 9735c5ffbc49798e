// SPDX-License-Identifier: BSD-3-Clause
// Makes the graph of a script, for tests.
#ifndef EPIK_ANALYSIS_GRAPH_TEST_GRAPH_H_
#define EPIK_ANALYSIS_GRAPH_TEST_GRAPH_H_

#include <memory>
#include <utility>
#include <vector>

#include "analysis/graph/builder.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_script.h"

namespace epik::graph {

struct Made {
  std::unique_ptr<Graph> graph;
  uint64_t unplaced = 0;
};

inline Made Make(const replay::World& world, std::vector<std::unique_ptr<replay::EventSource>> sources,
                 size_t bytes_in_memory = Graph::kBytesInMemory) {
  Made made;
  made.graph = std::make_unique<Graph>(world.locations.size(), bytes_in_memory);
  replay::MeasuredTime time(&world);
  GraphBuilder builder(&world, made.graph.get());
  replay::Replay replay(&world, std::move(sources), &time, {&builder});
  replay.Run();
  builder.Finish();
  made.unplaced = builder.unplaced();
  return made;
}

inline Made Make(replay::Script* script) { return Make(script->world(), script->Sources()); }

}  // namespace epik::graph

#endif  // EPIK_ANALYSIS_GRAPH_TEST_GRAPH_H_
