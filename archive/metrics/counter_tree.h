// SPDX-License-Identifier: BSD-3-Clause
// Arranges counters as trees of metrics when some are parts of others (`compose` in EPK_METRICS_SPEC; the description
// of a counter names its whole). A whole that was not counted itself is the sum of its parts.
#ifndef EPIK_ARCHIVE_METRICS_COUNTER_TREE_H_
#define EPIK_ARCHIVE_METRICS_COUNTER_TREE_H_

#include <cstdint>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

struct CounterTree {
  std::vector<Metric> metrics;                 // the measured metrics with parents set, and wholes filled in
  std::vector<uint32_t> order;                 // parents first
  std::vector<std::vector<uint32_t>> sources;  // by metric: the measured metrics whose sum are its rows
};

// A part stays a metric of its own when its unit or type differs from the whole's, or when other processes measured it.
CounterTree MakeCounterTree(const std::vector<Metric>& measured);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_COUNTER_TREE_H_
