// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 makes these from the unified definitions: regions with names, one call tree, and the metrics of the archive.
#ifndef EPIK_ARCHIVE_UNIFY_CATALOG_H_
#define EPIK_ARCHIVE_UNIFY_CATALOG_H_

#include <string>
#include <vector>

#include "archive/parts/definitions.h"
#include "archive/profile/profile.h"
#include "archive/unify/rows.h"

namespace epik::archive {

struct Catalog {
  Profile profile;                 // without values
  Mapping numbers;                 // number in the unified definitions -> number in the profile
  std::vector<std::string> notes;  // sentences about names that were not found
  uint64_t lines_left_out = 0;     // of functions
};

// Makes regions, call paths and the measured metrics. `ranks` are the ranks of the job.
Catalog MakeCatalog(const Definitions& all, const Ranks& ranks);

// A measured metric with its description for people.
Metric MeasuredMetric(const MetricDefinition& metric, const Ranks& ranks);

// Replaces the measured metrics of the profile by the tree of metrics for the archive. `use` tells for each metric and
// call path whether any process has a value (GatherUse).
std::vector<OutMetric> PlanMetrics(Profile* profile, const std::vector<std::vector<bool>>& use);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_CATALOG_H_
