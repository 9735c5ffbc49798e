// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/measured_metrics.h"

#include "archive/metrics/metric_tree.h"

namespace epik::archive {

const std::vector<MetricDefinition>& CommonMetrics() {
  static const std::vector<MetricDefinition> metrics = {
      {"visits", "Visits", "occ", Type::kUint64},
      {"time", "Time", "sec", Type::kDouble},
      {"min_time", "Minimum Inclusive Time", "sec", Type::kMin},
      {"max_time", "Maximum Inclusive Time", "sec", Type::kMax},
      {"time_squares", "Sum of squared times", "sec^2", Type::kDouble},
      {"unfinished", "Unfinished visits", "occ", Type::kUint64},
  };
  return metrics;
}

const MetricDefinition& UntimedMetric() {
  static const MetricDefinition metric = {"untimed_visits", "Visits not timed", "occ", Type::kUint64};
  return metric;
}

const MetricDefinition& VarianceMetric() {
  static const MetricDefinition metric = {"time_variance", "Variance of estimated times", "sec^2", Type::kDouble};
  return metric;
}

const MetricDefinition& DroppedCallsMetric() {
  static const MetricDefinition metric = {"dropped_calls", "Calls not counted as visits", "occ", Type::kUint64};
  return metric;
}

const MetricDefinition& ProbedVisitsMetric() {
  static const MetricDefinition metric = {"probed_visits", "Visits whose price is measured", "occ", Type::kUint64};
  return metric;
}

const MetricDefinition& ProbedCostMetric() {
  static const MetricDefinition metric = {"probed_cost", "Measured cost of these visits", "sec", Type::kDouble};
  return metric;
}

const MetricDefinition& ProbedErrorMetric() {
  static const MetricDefinition metric = {"probed_cost_error", "Error of this cost", "sec", Type::kDouble};
  return metric;
}

MetricDefinition WaitMetric(event::CollectiveRole role) {
  const char* name = event::WaitStateOf(role);
  return {name, name, "sec", Type::kDouble};
}

MetricDefinition WaitCountMetric(event::CollectiveRole role) {
  const std::string name = std::string(event::WaitStateOf(role)) + "_instances";
  return {name, name, "occ", Type::kUint64};
}

namespace {

bool IsOurs(const std::string& name) {
  if (IsTreeMetric(name)) return true;
  for (const event::CollectiveRole role : event::kRolesThatWait) {
    if (name == WaitMetric(role).name || name == WaitCountMetric(role).name) return true;
  }
  for (const MetricDefinition& metric : CommonMetrics()) {
    if (metric.name == name) return true;
  }
  for (const MetricDefinition* metric : {&UntimedMetric(), &VarianceMetric(), &DroppedCallsMetric(),
                                         &ProbedVisitsMetric(), &ProbedCostMetric(), &ProbedErrorMetric()}) {
    if (metric->name == name) return true;
  }
  for (const char* ours : {
#define METRIC(id, number, name, label, unit, count_name, count_label) name, count_name,
#include "runtime/event/metrics.def"
#undef METRIC
       }) {
    if (name == ours) return true;
  }
  return false;
}

}  // namespace

std::string NameOfOthers(const std::string& name, const char* owner) {
  if (name.empty()) return "unnamed";
  return IsOurs(name) ? name + " (" + owner + ")" : name;
}

}  // namespace epik::archive
