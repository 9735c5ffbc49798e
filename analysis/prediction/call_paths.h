// SPDX-License-Identifier: BSD-3-Clause
// The own time of each call path, over all locations, in the measured run and in the predicted one.
#ifndef EPIK_ANALYSIS_PREDICTION_CALL_PATHS_H_
#define EPIK_ANALYSIS_PREDICTION_CALL_PATHS_H_

#include <cstdint>
#include <unordered_map>

#include "analysis/approximation/change.h"
#include "analysis/approximation/forward.h"
#include "analysis/graph/graph.h"

namespace epik::prediction {

struct OwnTime {
  double measured = 0, predicted = 0;  // nanoseconds
};

// The keys are call paths of the trace; kNone: no call was open. `times` follow from `change`.
std::unordered_map<uint32_t, OwnTime> OwnTimes(const graph::Graph& graph, const approximation::Change& change,
                                               const approximation::Times& times);

}  // namespace epik::prediction

#endif  // EPIK_ANALYSIS_PREDICTION_CALL_PATHS_H_
