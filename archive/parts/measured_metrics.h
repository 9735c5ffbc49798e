// SPDX-License-Identifier: BSD-3-Clause
// The metrics that EPIK itself measures in every program. They are later put into the tree that people see
// (archive/metrics/metric_tree.h). The metrics of the adapters are in runtime/event/metrics.def.
#ifndef EPIK_ARCHIVE_PARTS_MEASURED_METRICS_H_
#define EPIK_ARCHIVE_PARTS_MEASURED_METRICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/parts/definitions.h"
#include "runtime/event/collective_roles.h"

namespace epik::archive {

// Every process has these metrics, by these numbers.
enum : uint32_t { kVisits, kTime, kMinTime, kMaxTime, kTimeSquares, kUnfinished, kFirstOtherMetric };
const std::vector<MetricDefinition>& CommonMetrics();

// Metrics of call paths that were sampled or dropped while the program ran. Other call paths have no values of them.
const MetricDefinition& UntimedMetric();
const MetricDefinition& VarianceMetric();
const MetricDefinition& DroppedCallsMetric();

// Metrics of call paths whose price the run measured (EPK_HOT=probe): the timed visits, the cost of measuring them, and
// the error of this cost.
const MetricDefinition& ProbedVisitsMetric();
const MetricDefinition& ProbedCostMetric();
const MetricDefinition& ProbedErrorMetric();

// Seconds and instances of a wait state, by the names that an analysed trace has. REQUIRES: the role has a wait state.
MetricDefinition WaitMetric(event::CollectiveRole role);
MetricDefinition WaitCountMetric(event::CollectiveRole role);

// The unique name of a metric that is not EPIK's own, but its owner's: "user" or "counter". A name of EPIK's own
// metrics gets the owner, as "time (user)", and an empty name becomes "unnamed". The summary and the trace use the same
// names.
std::string NameOfOthers(const std::string& name, const char* owner);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_MEASURED_METRICS_H_
