// SPDX-License-Identifier: BSD-3-Clause
// Counters that are parts of others (`compose`, EPK_METRICS_SPEC), as trees of metrics: their descriptions say so. A
// whole that was not counted itself is the sum of its parts.
#ifndef EPIK_ARCHIVE_METRICS_COUNTER_TREE_H_
#define EPIK_ARCHIVE_METRICS_COUNTER_TREE_H_

#include <cstdint>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

struct CounterTree {
  std::vector<epitome::Metric> metrics;        // as measured, but for parents and what became of wholes
  std::vector<uint32_t> order;                 // parents first
  std::vector<std::vector<uint32_t>> sources;  // by metric: the measured ones that make its rows
};

// Parts that have another unit or type than their whole, or were had by other processes, stand for themselves.
CounterTree MakeCounterTree(const std::vector<epitome::Metric>& measured);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_COUNTER_TREE_H_
