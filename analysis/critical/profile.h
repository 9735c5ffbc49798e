// SPDX-License-Identifier: BSD-3-Clause
// The critical path as a profile: the time of each call path on it, and the cost of its imbalance.
#ifndef EPIK_ANALYSIS_CRITICAL_PROFILE_H_
#define EPIK_ANALYSIS_CRITICAL_PROFILE_H_

#include <vector>

#include "analysis/critical/path.h"
#include "analysis/graph/mixtures.h"

namespace epik::critical {

struct ProfileRow {
  uint32_t location = graph::kNone, path = graph::kNone;
  double seconds = 0;          // on the critical path
  double imbalance = 0;        // the part of these seconds above the average of all locations
  double activity = 0;         // the location's own time that could be on the path: at most that of the path
  double other = 0;            // the location's own time beyond that
  double impact = 0;           // idle time of others, because this call path was longer here than there
  double inter_partition = 0;  // the part of impact for call paths that those others do not have
};

// Rows that are not empty, by location and call path, or by the parts of its time.
std::vector<ProfileRow> ProfileOf(const graph::Graph& graph, const Path& path, const graph::Mixtures& mixtures = {},
                                  const archive::TimeLimit& limit = {});

}  // namespace epik::critical

#endif  // EPIK_ANALYSIS_CRITICAL_PROFILE_H_
