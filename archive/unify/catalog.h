// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 makes of unified definitions: named regions, one call tree, and the metrics of the archive.
#ifndef EPIK_ARCHIVE_UNIFY_CATALOG_H_
#define EPIK_ARCHIVE_UNIFY_CATALOG_H_

#include <string>
#include <vector>

#include "archive/parts/definitions.h"
#include "archive/profile/profile.h"
#include "archive/unify/rows.h"

namespace epik::archive {

struct Catalog {
  epitome::Profile profile;        // without values
  Mapping numbers;                 // of the unified definitions -> of the profile
  std::vector<std::string> notes;  // what could not be named
  uint64_t lines_left_out = 0;     // of functions
};

// Regions, call paths and the metrics that were measured, of processes of these ranks.
Catalog MakeCatalog(const Definitions& all, const epitome::Ranks& ranks);

// Metrics as they were measured, for people.
epitome::Metric MeasuredMetric(const MetricDefinition& metric, const epitome::Ranks& ranks);

// From the metrics that were measured to the tree of those that are written, which become the profile's. use: [metric]
// [call path], as gathered.
std::vector<OutMetric> PlanMetrics(epitome::Profile* profile, const std::vector<std::vector<bool>>& use);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_CATALOG_H_
