// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/counters.h"

#include <algorithm>
#include <bit>

#include "archive/parts/measured_metrics.h"

namespace epik::archive {

namespace {

// The count before it was scaled.
uint64_t CountOf(const MetricName& metric, double value) {
  const double count = value / metric.scale;
  constexpr double kMost = 1e18;
  return count > 0 && count < kMost ? static_cast<uint64_t>(count + 0.5) : 0;
}

MetricDefinition DefinitionOf(const MetricName& metric) {
  MetricDefinition definition{NameOfOthers(metric.name, "counter"), metric.name, metric.unit, Type::kUint64};
  if (metric.kind == MetricName::Kind::kPeak) {
    definition.type = Type::kMax;
  } else if (metric.scale != 1) {
    definition.type = Type::kDouble;
  }
  return definition;
}

bool IsCounter(const MetricName& metric) { return metric.kind != MetricName::Kind::kUser; }

}  // namespace

CounterSums::CounterSums(const TraceArchive& archive, uint32_t process) : archive_(archive), process_(process) {
  const std::vector<MetricName>& metrics = archive.processes()[process]->map.metrics;
  has_counters_ = std::any_of(metrics.begin(), metrics.end(), IsCounter);
}

void CounterSums::EndPart(uint32_t path) {
  for (const auto& [metric, peak] : peaks_) {
    uint64_t& most = sums_[{metric, path}];
    most = std::max(most, peak);
  }
}

bool CounterSums::IsRegion(uint32_t path, const char* name, const char* role) const {
  if (path == kNone) return false;
  const Profile& profile = archive_.definitions().profile;
  const Region& region = profile.regions[profile.call_paths[path].region];
  return region.role == role && region.name == name;
}

void CounterSums::BeginThread() {
  before_.clear();
  peaks_.clear();
}

void CounterSums::Count(const Event& event) {
  const uint32_t path = archive_.CallPath(process_, event.node);
  const bool ends_part = !event.made_up && !IsRegion(path, "measurement", "artificial");
  if (event.kind == event::RecordKind::kEnter) {
    if (open_.empty() && IsRegion(path, "thread", "thread create")) BeginThread();
    const bool is_known = open_.empty() && path != kNone;
    const uint32_t around = is_known ? archive_.definitions().profile.call_paths[path].parent : kNone;
    if (ends_part) EndPart(open_.empty() ? around : open_.back());
    open_.push_back(path);
    return;
  }
  if (event.kind == event::RecordKind::kExit) {
    if (ends_part) EndPart(path);
    if (!open_.empty()) open_.pop_back();
    return;
  }
  if (event.kind == event::RecordKind::kThreadBegin) BeginThread();
  if (event.kind != event::RecordKind::kMetric) return;
  const MetricName* known = archive_.Metric(process_, event.field[0]);
  if (known == nullptr || !IsCounter(*known)) return;
  const uint64_t now = CountOf(*known, std::bit_cast<double>(event.field[1]));
  const auto metric = static_cast<uint32_t>(known - archive_.processes()[process_]->map.metrics.data());
  if (known->kind == MetricName::Kind::kPeak) {
    peaks_[metric] = now;
    uint64_t& most = sums_[{metric, path}];  // the call may be open at the end
    most = std::max(most, now);
    return;
  }
  uint64_t& before = before_[metric];
  // If it is less than before, another thread began in this place, which the trace does not say.
  sums_[{metric, path}] += now >= before ? now - before : now;
  before = now;
}

std::vector<CounterSum> CounterSums::Finish() const {
  std::vector<CounterSum> sums;
  for (const auto& [key, count] : sums_) {
    if (key.second != kNone && count != 0) sums.push_back({key.first, key.second, count});
  }
  return sums;
}

void AddCounters(const TraceArchive& archive, uint32_t process, const std::vector<CounterSum>& sums,
                 TrafficMetrics* metrics, std::vector<Value>* values) {
  for (const CounterSum& sum : sums) {
    const MetricName& metric = archive.processes()[process]->map.metrics[sum.metric];
    const MetricDefinition definition = DefinitionOf(metric);
    const uint64_t bits = definition.type == Type::kUint64
                              ? sum.count
                              : std::bit_cast<uint64_t>(static_cast<double>(sum.count) * metric.scale);
    values->push_back({metrics->NumberOf(definition), sum.path, bits});
  }
}

std::set<std::string> CountersOf(const TraceArchive& archive) {
  std::set<std::string> names;
  for (const MetricName& metric : archive.metrics()) {
    if (IsCounter(metric)) names.insert(DefinitionOf(metric).name);
  }
  return names;
}

}  // namespace epik::archive
