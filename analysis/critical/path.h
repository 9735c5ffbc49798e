// SPDX-License-Identifier: BSD-3-Clause
// The critical path: the chain of work that the length of the run depends on. It is walked backwards from the end of
// the location that ended last. If that location had waited, the path goes on at the location that it waited for, at
// the same time. So the path has no holes, and no wait is a part of it.
#ifndef EPIK_ANALYSIS_CRITICAL_PATH_H_
#define EPIK_ANALYSIS_CRITICAL_PATH_H_

#include <cstdint>
#include <vector>

#include "analysis/graph/graph.h"
#include "analysis/graph/slice.h"
#include "analysis/replay/world.h"
#include "archive/files/time_limit.h"

namespace epik::critical {

struct Path {
  std::vector<graph::Slice> slices;  // in the order of time: each begins where the one before ends
  int64_t begin = 0, end = 0;
  // Waits on the path whose cause is not in the trace: the path stays with the location that waited.
  uint64_t unknown_waits = 0;
  int64_t unknown_ns = 0;
};

Path FindPath(const graph::Graph& graph, const replay::World& world, const archive::TimeLimit& limit = {});

// Whether the path leads from its begin to its end without a hole.
bool IsWhole(const Path& path);

}  // namespace epik::critical

#endif  // EPIK_ANALYSIS_CRITICAL_PATH_H_
