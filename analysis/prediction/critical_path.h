// SPDX-License-Identifier: BSD-3-Clause
// Tells which work decides how long an approximated run lasts. It goes backwards from the last point, always to the
// need of a point that came last.
#ifndef EPIK_ANALYSIS_PREDICTION_CRITICAL_PATH_H_
#define EPIK_ANALYSIS_PREDICTION_CRITICAL_PATH_H_

#include <unordered_map>

#include "analysis/approximation/forward.h"

namespace epik::prediction {

// Nanoseconds by call path; kNone: no call path. Their sum is the length of the run.
std::unordered_map<uint32_t, double> CriticalPath(const graph::Graph& graph, const approximation::Times& times);

}  // namespace epik::prediction

#endif  // EPIK_ANALYSIS_PREDICTION_CRITICAL_PATH_H_
