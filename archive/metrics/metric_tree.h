// SPDX-License-Identifier: BSD-3-Clause
// Puts the measured metrics into the tree that users of CUBE know: time by kind, bytes and messages by kind.
//
// Each row of the tree is a measured row or the sum of a few, for the same call path. So a writer that streams needs
// the rows of one call path only:
//
//   const MetricTree tree(measured, regions, used);
//   for (uint32_t m = 0; m < tree.metrics().size(); ++m)   // definitions, parents first
//     for each call path with tree.Counts(m, its region): the sum of its rows of tree.Sources(m)
//
// `time` is measured inclusive and stored exclusive: the source `time` has no time of callees.
#ifndef EPIK_ARCHIVE_METRICS_METRIC_TREE_H_
#define EPIK_ARCHIVE_METRICS_METRIC_TREE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

class MetricTree {
 public:
  // `used` tells for each region whether one of its call paths took time or had visits. Metrics without values are left
  // out.
  MetricTree(const std::vector<Metric>& measured, const std::vector<Region>& regions, const std::vector<bool>& used);

  const std::vector<Metric>& metrics() const { return metrics_; }
  // The measured metrics whose sum this is: one, unless the metric is the sum of its child metrics.
  const std::vector<uint32_t>& Sources(uint32_t metric) const { return sources_[metric]; }
  // Whether call paths of the region have a row. A kind of time has rows for the regions of its kind.
  bool Counts(uint32_t metric, uint32_t region) const { return CountsAll(metric) || regions_of_[metric][region]; }
  bool CountsAll(uint32_t metric) const { return regions_of_[metric].empty(); }

 private:
  std::vector<Metric> metrics_;
  std::vector<std::vector<uint32_t>> sources_;
  std::vector<std::vector<bool>> regions_of_;  // by metric; empty: all regions
};

// Shapes a profile in memory and completes its regions (region_class.h). Does nothing when `time` is missing or already
// has child metrics.
void ShapeMetrics(Profile* profile);

// Whether the tree has a metric of this name.
bool IsTreeMetric(std::string_view unique_name);
// Whether that metric is computed from others (a kind of time, or a sum), so that it can be left out without loss.
bool IsDerivedMetric(std::string_view unique_name);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_METRIC_TREE_H_
