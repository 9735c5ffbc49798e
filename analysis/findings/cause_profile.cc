// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/findings/cause_profile.h"

#include <array>
#include <optional>
#include <string_view>

#include "analysis/replay/seconds.h"
#include "archive/profile/region_class.h"

namespace epik::findings {

using archive::kNone;
using archive::Profile;
using replay::Seconds;

namespace {

constexpr char kLongterm[] = "_longterm";

struct Row {
  const char *name, *parent, *label, *description;
};
// Parents first.
constexpr Row kTree[] = {
    {"delay", "", "Delay", "What made others wait: waiting that it caused"},
    {"delay_mpi", "delay", "MPI", ""},
    {"delay_p2p", "delay_mpi", "Point-to-point", ""},
    {"delay_collective", "delay_mpi", "Collective", ""},
    {"delay_rma", "delay_mpi", "One-sided", ""},
    {"delay_omp", "delay", "OpenMP", ""},
    {"delay_threads", "delay", "Threads", ""},
    {"waitstates_propagating_vs_terminal", "", "Wait states (propagating vs. terminal)", ""},
    {"mpi_wait_propagating", "waitstates_propagating_vs_terminal", "Propagating", "Waiting that made others wait"},
    {"mpi_wait_terminal", "waitstates_propagating_vs_terminal", "Terminal", "Waiting that made nobody wait"},
    {"mpi_wait_propagating_ls", "mpi_wait_propagating", "Late Sender", ""},
    {"mpi_wait_propagating_lr", "mpi_wait_propagating", "Late Receiver", ""},
    {"mpi_wait_terminal_ls", "mpi_wait_terminal", "Late Sender", ""},
    {"mpi_wait_terminal_lr", "mpi_wait_terminal", "Late Receiver", ""},
    {"waitstates_direct_vs_indirect", "", "Wait states (direct vs. indirect)", ""},
    {"mpi_wait_direct", "waitstates_direct_vs_indirect", "Direct", "Waiting for who took longer"},
    {"mpi_wait_indirect", "waitstates_direct_vs_indirect", "Indirect", "Waiting for who had waited"},
    {"mpi_wait_direct_latesender", "mpi_wait_direct", "Late Sender", ""},
    {"mpi_wait_direct_latereceiver", "mpi_wait_direct", "Late Receiver", ""},
    {"mpi_wait_indirect_latesender", "mpi_wait_indirect", "Late Sender", ""},
    {"mpi_wait_indirect_latereceiver", "mpi_wait_indirect", "Late Receiver", ""},
    {"critical_path", "", "Critical path", "Time on the critical path"},
    {"critical_path_imbalance", "critical_path", "Imbalance", "Time on it beyond the average of all locations"},
    {"performance_impact", "", "Performance impact", ""},
    {"performance_impact_criticalpath", "performance_impact", "Critical-path activities", ""},
    {"critical_path_activities", "performance_impact_criticalpath", "Activity impact",
     "Own time of call paths on the critical path"},
    {"critical_imbalance_impact", "performance_impact_criticalpath", "Critical imbalance impact",
     "What locations are idle because call paths on the critical path are longer elsewhere"},
    {"intra_partition_imbalance", "critical_imbalance_impact", "Intra-partition imbalance", ""},
    {"inter_partition_imbalance", "critical_imbalance_impact", "Inter-partition imbalance",
     "By call paths that the idle location does not have"},
    {"non_critical_path_activities", "performance_impact", "Non-critical-path activities",
     "Own time beyond what the critical path has of the call path"},
};

// Returns the call path of threads that have no work, or kNone if the profile lacks it.
uint32_t FindIdle(const Profile& profile) {
  for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
    if (archive::TimeMetricOf(profile.regions[profile.call_paths[path].region]) == "omp_idle_threads") return path;
  }
  return kNone;
}

class Adder {
 public:
  Adder(const replay::World& world, Profile* profile) : world_(world), profile_(*profile), idle_(FindIdle(*profile)) {}

  uint32_t Metric(const std::string& name) {
    const uint32_t known = profile_.FindMetric(name);
    if (known != kNone) return known;
    for (const Row& row : kTree) {
      if (name == row.name) return Make(name, row.label, row.description, row.parent);
    }
    return kNone;
  }
  uint32_t Make(const std::string& name, const std::string& label, const std::string& description,
                const std::string& parent) {
    archive::Metric metric;
    metric.unique_name = name;
    metric.display_name = label;
    metric.description = description;
    metric.unit = "sec";
    metric.parent = parent.empty() ? kNone : Metric(parent);
    return profile_.AddMetric(metric);
  }
  // To the metric and those above it.
  void Add(uint32_t metric, uint32_t location, uint32_t path, double seconds) {
    const uint32_t column = world_.locations[location].column;
    if (seconds <= 0 || column == kNone || profile_.call_paths.empty()) return;
    if (path >= profile_.call_paths.size()) path = PathOutside(location);
    for (; metric != kNone; metric = profile_.metrics[metric].parent) {
      archive::Values& values = profile_.values[metric];
      values.Set(path, column, (values.Has(path) ? values.Real(path, column) : 0) + seconds);
    }
  }

 private:
  // The call path for time in which the location had no call open: threads of teams are idle then.
  uint32_t PathOutside(uint32_t location) const {
    return idle_ != kNone && world_.locations[location].number > 0 ? idle_ : 0;
  }

  const replay::World& world_;
  Profile& profile_;
  uint32_t idle_;
};

// The metrics of a wait by its effect and by its cause.
struct WaitMetrics {
  uint32_t propagating, terminal, indirect, direct;
};
// Scalasca has two kinds of waiting apart; all others are in the metrics above.
WaitMetrics MetricsOf(causes::Class kind, Adder* adder) {
  const bool sender = kind == causes::kLateSender, receiver = kind == causes::kLateReceiver;
  const std::string by_effect = sender ? "_ls" : receiver ? "_lr" : "";
  const std::string by_cause = sender ? "_latesender" : receiver ? "_latereceiver" : "";
  WaitMetrics made;
  made.propagating = adder->Metric("mpi_wait_propagating" + by_effect);
  made.terminal = adder->Metric("mpi_wait_terminal" + by_effect);
  made.indirect = adder->Metric("mpi_wait_indirect" + by_cause);
  made.direct = adder->Metric("mpi_wait_direct" + by_cause);
  return made;
}

}  // namespace

void AddCauses(const causes::Delays& delays, const replay::World& world, Profile* profile) {
  Adder adder(world, profile);
  std::vector<uint32_t> direct, longterm;
  for (const causes::ClassInfo& info : causes::Classes()) {
    const std::string name = info.metric;
    adder.Make(name + "_aggregate", info.label, "", info.parent);
    direct.push_back(adder.Make(name, "Short-term", "Waiting that it caused directly", name + "_aggregate"));
    longterm.push_back(adder.Make(name + kLongterm, "Long-term",
                                  "Waiting that it caused by way of those that it made wait", name + "_aggregate"));
  }
  for (const auto& [key, ns] : delays.costs) {
    adder.Add((key.longterm ? longterm : direct)[key.kind], key.location, key.path, Seconds(ns));
  }
  std::array<std::optional<WaitMetrics>, causes::kClasses> of_kind;
  for (const auto& [group, facts] : delays.groups) {
    std::optional<WaitMetrics>& metrics = of_kind[group.kind];
    if (!metrics.has_value()) metrics = MetricsOf(group.kind, &adder);
    const auto add = [&, &of = group](uint32_t metric, int64_t ns) {
      adder.Add(metric, of.location, of.path, Seconds(ns));
    };
    add(metrics->propagating, facts.propagating_ns);
    add(metrics->terminal, facts.ns - facts.propagating_ns);
    add(metrics->indirect, facts.indirect_ns);
    add(metrics->direct, facts.ns - facts.indirect_ns);
  }
}

void AddCritical(const std::vector<critical::ProfileRow>& rows, const replay::World& world, Profile* profile) {
  if (rows.empty()) return;
  Adder adder(world, profile);
  const uint32_t critical = adder.Metric("critical_path");
  const uint32_t imbalance = adder.Metric("critical_path_imbalance");
  const uint32_t activities = adder.Metric("critical_path_activities");
  const uint32_t intra_partition = adder.Metric("intra_partition_imbalance");
  const uint32_t inter_partition = adder.Metric("inter_partition_imbalance");
  const uint32_t other = adder.Metric("non_critical_path_activities");
  for (const critical::ProfileRow& row : rows) {
    const auto add = [&](uint32_t metric, double seconds) { adder.Add(metric, row.location, row.path, seconds); };
    // The imbalance is a part of the time on the path.
    add(critical, row.seconds - row.imbalance);
    add(imbalance, row.imbalance);
    add(activities, row.activity);
    add(intra_partition, row.impact - row.inter_partition);
    add(inter_partition, row.inter_partition);
    add(other, row.other);
  }
}

std::vector<Cost> CostsOf(const Profile& profile) {
  std::vector<Cost> costs;
  for (const causes::ClassInfo& info : causes::Classes()) {
    for (const std::string& kind : {std::string(info.metric), std::string(info.metric) + kLongterm}) {
      const uint32_t metric = profile.FindMetric(kind);
      if (metric == kNone) continue;
      for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
        if (!profile.values[metric].Has(path)) continue;
        for (uint32_t location = 0; location < profile.locations.size(); ++location) {
          const double seconds = profile.values[metric].Real(path, location);
          if (seconds > 0) costs.push_back({kind, location, path, seconds});
        }
      }
    }
  }
  return costs;
}

bool HasCauses(const Profile& profile) { return profile.FindMetric(causes::Classes().front().metric) != kNone; }

}  // namespace epik::findings
