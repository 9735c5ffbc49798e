// SPDX-License-Identifier: BSD-3-Clause
// From the metrics as they were measured to the tree that users of CUBE know: time by kind, bytes and messages by kind.
//
// Every row of a metric of the tree is a row that was measured, or the sum of a few, of the same call path. So a writer
// that streams needs no more than the rows of one call path:
//
//   const MetricTree tree(measured, regions, used);
//   for (uint32_t m = 0; m < tree.metrics().size(); ++m)   // definitions, parents first
//     for each call path with tree.Counts(m, its region): the sum of its rows of tree.Sources(m)
//
// `time` is measured inclusive and stored exclusive: what the sources call time is time without what was called.
#ifndef EPIK_ARCHIVE_METRICS_METRIC_TREE_H_
#define EPIK_ARCHIVE_METRICS_METRIC_TREE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

class MetricTree {
 public:
  // used: by region, whether a call path of it took time or was visited. Metrics that would stay empty are left out.
  MetricTree(const std::vector<epitome::Metric>& measured, const std::vector<epitome::Region>& regions,
             const std::vector<bool>& used);

  const std::vector<epitome::Metric>& metrics() const { return metrics_; }
  // Which measured metrics to add up: one, unless the metric is the sum of its child metrics.
  const std::vector<uint32_t>& Sources(uint32_t metric) const { return sources_[metric]; }
  // Whether call paths of the region have a row: for a kind of time, whether it is of that kind.
  bool Counts(uint32_t metric, uint32_t region) const { return CountsAll(metric) || regions_of_[metric][region]; }
  bool CountsAll(uint32_t metric) const { return regions_of_[metric].empty(); }

 private:
  std::vector<epitome::Metric> metrics_;
  std::vector<std::vector<uint32_t>> sources_;
  std::vector<std::vector<bool>> regions_of_;  // by metric; empty: all regions
};

// A whole profile at once, with its regions completed (region_class.h). Does nothing where `time` has child metrics or
// is not there.
void ShapeMetrics(epitome::Profile* profile);

// Whether a metric of that name is made here of others: a kind of time, or a sum. Nothing is lost without it.
// Whether it is one of the tree at all.
bool IsTreeMetric(std::string_view unique_name);
bool IsDerivedMetric(std::string_view unique_name);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_METRIC_TREE_H_
