// SPDX-License-Identifier: BSD-3-Clause
// The critical path as a profile: what each call path on it took, and what its imbalance costs.
#ifndef EPIK_ANALYSIS_CRITICAL_PROFILE_H_
#define EPIK_ANALYSIS_CRITICAL_PROFILE_H_

#include <vector>

#include "analysis/critical/path.h"
#include "analysis/graph/mixtures.h"

namespace epik::critical {

struct ProfileRow {
  uint32_t location = graph::kNone, path = graph::kNone;
  double seconds = 0;          // on the critical path
  double imbalance = 0;        // of it, what is above the average of all locations
  double activity = 0;         // the location's own time that could be on the path: at most what the path has of it
  double other = 0;            // its own time beyond that
  double impact = 0;           // what others were idle because this call path was not as short here as there
  double inter_partition = 0;  // of it, by call paths that those others do not have
};

// Rows that are not empty, by location and call path, or by the parts of its time.
std::vector<ProfileRow> ProfileOf(const graph::Graph& graph, const Path& path, const graph::Mixtures& mixtures = {});

}  // namespace epik::critical

#endif  // EPIK_ANALYSIS_CRITICAL_PROFILE_H_
