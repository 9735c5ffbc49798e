// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/findings/differences.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "archive/metrics/metric_tree.h"
#include "archive/profile/path_names.h"

namespace epik::findings {

using archive::kNone;
using archive::Profile;

namespace {

constexpr size_t kMost = 3;
constexpr double kLeastMore = 0.1;  // a share of the other thread's count

// A counter is a metric that the user asked for. All other metrics are in each profile, or an analysis adds them.
bool IsCounter(const archive::Metric& metric) {
  const std::string_view name = metric.unique_name;
  constexpr std::string_view kOthers[] = {"min_",  "max_", "time_", "unfinished", "bytes_",
                                          "task_", "mpi_", "omp_",  "locks_"};
  if (archive::IsTreeMetric(name) || metric.along != archive::Along::kExclusive) return false;
  if (metric.description.starts_with(archive::kComputed)) return false;
  return std::none_of(std::begin(kOthers), std::end(kOthers),
                      [&](std::string_view other) { return name.starts_with(other); });
}

}  // namespace

Counted::Counted(const Profile& profile, const Profile& trace) : profile_(profile) {
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    if (IsCounter(profile.metrics[m])) counters_.push_back(m);
  }
  if (counters_.empty()) return;
  archive::SamePaths numbers;
  std::unordered_map<uint32_t, uint32_t> paths;  // of the profile, by number
  for (const uint32_t number : numbers.Of(profile)) paths.emplace(number, paths.size());
  logged_.resize(profile.call_paths.size());
  const uint32_t visits = trace.FindMetric("visits");
  for (const uint32_t number : numbers.Of(trace)) {
    const auto known = paths.find(number);
    const auto path = static_cast<uint32_t>(path_of_.size());
    path_of_.push_back(known == paths.end() ? kNone : known->second);
    if (visits != kNone && trace.values[visits].Has(path) && known != paths.end()) logged_[known->second] = true;
  }
}

// The sum over the call path and those call paths below it that the trace does not have.
double Counted::Sum(uint32_t metric, uint32_t path, uint32_t column) const {
  const archive::Values& values = profile_.values[metric];
  double sum = values.Has(path) ? values.Real(path, column) : 0;
  std::vector<bool> is_part = {true};
  for (uint32_t below = path + 1; below < profile_.call_paths.size(); ++below) {
    const uint32_t parent = profile_.call_paths[below].parent;
    if (parent == kNone || parent < path) break;
    is_part.push_back(is_part[parent - path] && !logged_[below]);
    if (is_part.back() && values.Has(below)) sum += values.Real(below, column);
  }
  return sum;
}

uint32_t Counted::ColumnOf(const Who& who) const {
  for (uint32_t l = 0; l < profile_.locations.size(); ++l) {
    const archive::Location& location = profile_.locations[l];
    if (profile_.processes[location.process].rank == who.rank && location.thread == who.thread) return l;
  }
  return kNone;
}

std::vector<Difference> Counted::Compare(uint32_t path_of_trace, const Who& who, const Who& other) const {
  std::vector<Difference> all;
  const uint32_t path = path_of_trace < path_of_.size() ? path_of_[path_of_trace] : kNone;
  const uint32_t mine = ColumnOf(who), its = ColumnOf(other), visits = profile_.FindMetric("visits");
  if (path == kNone || mine == kNone || its == kNone || visits == kNone) return all;
  const archive::Values& entered = profile_.values[visits];
  const auto was_there = [&](uint32_t column) { return entered.Has(path) && entered.Real(path, column) > 0; };
  if (!was_there(mine) || !was_there(its)) return all;
  for (const uint32_t metric : counters_) {
    const double here = Sum(metric, path, mine), there = Sum(metric, path, its);
    if (here - there <= kLeastMore * there || here <= 0) continue;
    all.push_back({profile_.metrics[metric].unique_name, profile_.metrics[metric].unit, here, there});
  }
  std::stable_sort(all.begin(), all.end(), [](const Difference& a, const Difference& b) {
    return a.here * b.there > b.here * a.there;  // by ratio; counters that only one of them has come first
  });
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

}  // namespace epik::findings
