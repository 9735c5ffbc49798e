// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/graph/test_graph.h"

#include <utility>

#include "analysis/graph/builder.h"
#include "analysis/replay/replay.h"

namespace epik::graph {

Made Make(const replay::World& world, std::vector<std::unique_ptr<replay::EventSource>> sources,
          size_t bytes_in_memory) {
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

Made Make(replay::Script* script) { return Make(script->world(), script->Sources()); }

}  // namespace epik::graph
