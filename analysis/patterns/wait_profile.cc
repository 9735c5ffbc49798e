// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/wait_profile.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "archive/profile/region_class.h"

namespace epik::patterns {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

namespace {

constexpr char kInstances[] = "wait_instances";

// Kinds of time that contain only waits, for profiles that lack such a kind.
struct Kind {
  const char *name, *parent, *label;
};
constexpr Kind kKinds[] = {
    {"mpi_init_exit", "mpi_management", "Init/Finalize"},
    {"mpi_management", "mpi", "Management"},
    {"mpi_sync_collective", "mpi_synchronization", "Collective"},
    {"mpi_synchronization", "mpi", "Synchronization"},
    {"mpi_point2point", "mpi_communication", "Point-to-point"},
    {"mpi_collective", "mpi_communication", "Collective"},
    {"mpi_communication", "mpi", "Communication"},
    {"mpi_mgmt_comm", "mpi_management", "Communicators"},
    {"mpi_mgmt_file", "mpi_management", "Files"},
    {"mpi_mgmt_win", "mpi_management", "Windows"},
    {"mpi_rma_sync_active", "mpi_rma_synchronization", "Active Target"},
    {"mpi_rma_sync_passive", "mpi_rma_synchronization", "Passive Target"},
    {"mpi_rma_synchronization", "mpi_synchronization", "One-sided"},
    {"mpi_rma_communication", "mpi_communication", "One-sided"},
    {"mpi_io_collective", "mpi_io", "Collective"},
    {"mpi_io", "mpi", "File I/O"},
    {"mpi", "execution", "MPI"},
    {"omp_ebarrier", "omp_barrier", "Explicit"},
    {"omp_ibarrier", "omp_barrier", "Implicit"},
    {"omp_barrier", "omp_synchronization", "Barrier"},
    {"omp_taskwait", "omp_synchronization", "Task Wait"},
    {"omp_critical", "omp_synchronization", "Critical"},
    {"omp_lock_api", "omp_synchronization", "Lock API"},
    {"omp_ordered", "omp_synchronization", "Ordered"},
    {"omp_synchronization", "omp_time", "Synchronization"},
    {"omp_time", "execution", "OpenMP"},
    {"pthread_lock_api", "pthread_synchronization", "Locks"},
    {"pthread_conditional", "pthread_synchronization", "Conditions"},
    {"pthread_semaphore", "pthread_synchronization", "Semaphores"},
    {"pthread_barrier", "pthread_synchronization", "Barriers"},
    {"pthread_synchronization", "pthread_time", "Synchronization"},
    {"pthread_management", "pthread_time", "Management"},
    {"pthread_time", "execution", "Threads"},
    {"execution", "time", "Execution"},
    {"time", "", "Time"},
};

uint32_t MetricOf(Profile* profile, std::string_view name) {
  const uint32_t known = profile->FindMetric(name);
  if (known != kNone || name.empty()) return known;
  archive::Metric metric;
  metric.unique_name = metric.display_name = name;
  metric.unit = "sec";
  metric.type = Type::kDouble;
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    metric.display_name = kind.label;
    metric.parent = MetricOf(profile, kind.parent);
  }
  return profile->AddMetric(metric);
}

// The metrics from this one up to its root.
std::vector<uint32_t> ChainOf(const Profile& profile, uint32_t metric) {
  std::vector<uint32_t> chain;
  for (; metric != kNone; metric = profile.metrics[metric].parent) chain.push_back(metric);
  return chain;
}

void Change(Profile* profile, uint32_t metric, uint32_t path, uint32_t column, double by) {
  archive::Values& values = profile->values[metric];
  const double old = values.Has(path) ? values.Real(path, column) : 0;
  values.Set(path, column, std::max(0.0, old + by));
}

bool IsPattern(std::string_view name) {
  const auto& all = AllPatterns();
  return std::any_of(all.begin(), all.end(), [&](const PatternInfo* info) { return info->name == name; });
}

struct Metrics {
  uint32_t time = kNone, instances = kNone;
};

std::vector<Metrics> AddMetrics(Profile* profile) {
  archive::Metric root;
  root.unique_name = kInstances;
  root.display_name = "Wait states";
  root.unit = "occ";
  root.description = "How often somebody waited";
  root.type = Type::kUint64;
  const uint32_t all = profile->AddMetric(root);
  std::vector<Metrics> metrics;
  for (const PatternInfo* info : AllPatterns()) {
    Metrics made;
    archive::Metric time;
    time.unique_name = info->name;
    time.display_name = info->label;
    time.unit = "sec";
    time.description = info->explanation;
    time.parent = MetricOf(profile, info->parent);
    made.time = profile->AddMetric(time);
    archive::Metric count = root;
    count.unique_name = InstancesOf(info->name);
    count.display_name = info->label;
    count.parent = IsPattern(info->parent) ? profile->FindMetric(InstancesOf(info->parent))
                   : IsWaiting(*info)      ? all
                                           : kNone;
    made.instances = profile->AddMetric(count);
    metrics.push_back(made);
  }
  return metrics;
}

// Makes sure that call paths have the time of their waits.
class CallTimes {
 public:
  CallTimes(Profile* profile, bool has_calls) : profile_(profile), has_calls_(has_calls) {}

  // Returns the time that the call path now has beyond its calls.
  double Add(uint32_t path, uint32_t column, double seconds) {
    archive::Region region = profile_->regions[profile_->call_paths[path].region];
    archive::CompleteRegion(&region);
    const uint32_t kind = MetricOf(profile_, archive::TimeMetricOf(region));
    const double there = profile_->values[kind].Has(path) ? profile_->values[kind].Real(path, column) : 0;
    const double missing = has_calls_ ? seconds - there : MissingInUnlogged({path, column}, there, seconds);
    if (missing <= 0) return 0;
    for (const uint32_t metric : ChainOf(*profile_, kind)) Change(profile_, metric, path, column, missing);
    return has_calls_ && there > 0 && region.name != "MPI_Finalize" ? missing : 0;
  }

 private:
  struct Known {
    double logged, waited = 0;
  };

  // In a trace without calls, the known time of a call path may be that of other waits: it has the sum of its waits.
  double MissingInUnlogged(std::pair<uint32_t, uint32_t> where, double there, double seconds) {
    Known& known = known_.try_emplace(where, Known{there}).first->second;
    const double before = std::max(known.logged, known.waited);
    known.waited += seconds;
    return known.waited - before;
  }

  Profile* profile_;
  const bool has_calls_;
  std::map<std::pair<uint32_t, uint32_t>, Known> known_;  // by call path and column
};

}  // namespace

std::string InstancesOf(const std::string& pattern) { return pattern + "_instances"; }

WaitSums AddWaits(const Severities& severities, const replay::World& world, bool has_calls, Profile* profile) {
  WaitSums sums;
  CallTimes calls(profile, has_calls);
  const std::vector<Metrics> metrics = AddMetrics(profile);
  const uint32_t all = profile->FindMetric(kInstances);
  for (const Severities::Row& row : severities.rows()) {
    const uint32_t column = world.locations[row.location].column;
    if (column == kNone || row.path == kNone) continue;
    const double seconds = static_cast<double>(row.ns) * 1e-9;
    const Metrics& to = metrics[row.pattern];
    Change(profile, to.time, row.path, column, seconds);
    const auto count = [&](uint32_t metric) {
      archive::Values& values = profile->values[metric];
      values.Set(row.path, column, (values.Has(row.path) ? values.Integer(row.path, column) : 0) + row.instances);
    };
    count(to.instances);
    if (!IsWaiting(*AllPatterns()[row.pattern])) continue;
    if (IsPattern(AllPatterns()[row.pattern]->parent)) continue;  // the metrics above have this wait already
    count(all);
    // The trace lacks the call for some waits: measurement ends when MPI_Finalize begins, and `msgs` logs no calls.
    sums.beyond_calls_s += calls.Add(row.path, column, seconds);
    if (!IsCompletion(*AllPatterns()[row.pattern])) sums.waited_s += seconds;
    // Metrics that are in both chains keep their values.
    archive::Region region = profile->regions[profile->call_paths[row.path].region];
    archive::CompleteRegion(&region);
    const std::vector<uint32_t> from = ChainOf(*profile, profile->FindMetric(archive::TimeMetricOf(region)));
    const std::vector<uint32_t> into = ChainOf(*profile, profile->metrics[to.time].parent);
    for (const uint32_t metric : into) {
      if (std::find(from.begin(), from.end(), metric) == from.end()) {
        Change(profile, metric, row.path, column, seconds);
      }
    }
    for (const uint32_t metric : from) {
      if (std::find(into.begin(), into.end(), metric) == into.end()) {
        Change(profile, metric, row.path, column, -seconds);
      }
    }
  }
  return sums;
}

// "…wo" and "…unneeded" are parts of their parents' counts; all other parents are the sums of their children.
void AddCounts(const Severities& severities, const replay::World& world, Profile* profile) {
  for (const CountInfo& info : kCounts) {
    archive::Metric metric;
    metric.unique_name = info.metric;
    metric.display_name = info.label;
    metric.unit = "occ";
    metric.description = info.description;
    metric.type = Type::kUint64;
    metric.parent = MetricOf(profile, info.parent);
    profile->AddMetric(metric);
  }
  const auto add = [&](const Severities::CountRow& row, const char* name) {
    archive::Values& values = profile->values[profile->FindMetric(name)];
    const uint32_t column = world.locations[row.location].column;
    values.Set(row.path, column, (values.Has(row.path) ? values.Integer(row.path, column) : 0) + row.times);
  };
  for (const Severities::CountRow& row : severities.counts()) {
    if (row.path == kNone || world.locations[row.location].column == kNone) continue;
    const CountInfo& info = InfoOf(row.count);
    add(row, info.metric);
    if (std::string_view(info.parent) == InfoOf(Count::kLate).metric) add(row, info.parent);
  }
}

bool HasWaits(const Profile& profile) {
  const auto& all = AllPatterns();
  return std::any_of(all.begin(), all.end(),
                     [&](const PatternInfo* info) { return profile.FindMetric(info->name) != kNone; });
}

std::vector<Wait> WaitsOf(const Profile& profile) {
  std::vector<Wait> waits;
  const auto& all = AllPatterns();
  for (uint32_t pattern = 0; pattern < all.size(); ++pattern) {
    const uint32_t time = profile.FindMetric(all[pattern]->name);
    const uint32_t count = profile.FindMetric(InstancesOf(all[pattern]->name));
    if (time == kNone) continue;
    for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
      if (!profile.values[time].Has(path)) continue;
      for (uint32_t location = 0; location < profile.locations.size(); ++location) {
        const double seconds = profile.values[time].Real(path, location);
        const bool counted = count != kNone && profile.values[count].Has(path);
        const uint64_t instances = counted ? profile.values[count].Integer(path, location) : 0;
        if (seconds > 0 || instances > 0) waits.push_back({pattern, location, path, seconds, instances});
      }
    }
  }
  return waits;
}

}  // namespace epik::patterns
