// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the flame graph formats: finding a metric by name, and stacks that stay readable in deep recursions.
#ifndef EPIK_REPORT_EXPORTS_STACKS_H_
#define EPIK_REPORT_EXPORTS_STACKS_H_

#include <cstdint>
#include <string>

#include "archive/profile/profile.h"

namespace epik::report {

// Viewers fail on stacks of many thousand frames, and files grow with the square of the depth: calls deeper than
// this count for the frame at this depth.
inline constexpr size_t kDeepestStack = 512;

// Returns kNone and sets *error when there is no such metric, or when it is a minimum or maximum.
inline uint32_t FindAdditiveMetric(const archive::Profile& profile, const std::string& name, std::string* error) {
  const uint32_t metric = profile.FindMetric(name);
  if (metric == archive::kNone) {
    *error = "no metric is called " + name + "; there are:";
    for (const archive::Metric& m : profile.metrics) *error += " " + m.unique_name;
    return metric;
  }
  const archive::Type type = profile.metrics[metric].type;
  if (type == archive::Type::kUint64 || type == archive::Type::kDouble) return metric;
  *error = name + " is a minimum or maximum: it cannot be added up along the call tree";
  return archive::kNone;
}

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_STACKS_H_
