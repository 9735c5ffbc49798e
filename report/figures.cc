// SPDX-License-Identifier: BSD-3-Clause
#include "report/figures.h"

#include <cmath>

#include "runtime/epitome/region_class.h"

namespace epik::report {

using epitome::Along;
using epitome::kNone;
using epitome::Profile;
using epitome::Type;

std::string_view ClassName(Class c) {
  static constexpr std::string_view kNames[kClasses] = {"MPI", "OMP", "THR", "COM", "USR", "EPIK"};
  return kNames[static_cast<size_t>(c)];
}

std::vector<Class> ClassifyRegions(const Profile& p) {
  std::vector<Class> classes;
  classes.reserve(p.regions.size());
  for (const epitome::Region& region : p.regions) {
    switch (epitome::KindOf(region)) {
      case epitome::RegionKind::kMpi: classes.push_back(Class::kMpi); break;
      case epitome::RegionKind::kOpenMp: classes.push_back(Class::kOmp); break;
      case epitome::RegionKind::kThread: classes.push_back(Class::kThread); break;
      case epitome::RegionKind::kMeasurement: classes.push_back(Class::kEpik); break;
      default: classes.push_back(Class::kUsr);
    }
  }
  std::vector<bool> communicates(p.call_paths.size());
  for (size_t i = p.call_paths.size(); i-- > 0;) {
    Class& own = classes[p.call_paths[i].region];
    if (communicates[i] && own == Class::kUsr) own = Class::kCom;
    const uint32_t parent = p.call_paths[i].parent;
    if (parent != kNone && (communicates[i] || own == Class::kMpi || own == Class::kOmp)) communicates[parent] = true;
  }
  return classes;
}

bool IsIdle(std::string_view metric) { return metric == "omp_idle_threads" || metric == "omp_limited_parallelism"; }

std::vector<Use> UsesOfRegions(const Profile& p) {
  std::vector<Use> uses;
  for (const epitome::Region& region : p.regions) {
    const std::string_view metric = epitome::TimeMetricOf(region);
    uses.push_back(metric == "comp"             ? Use::kComputation
                   : IsIdle(metric)             ? Use::kIdle
                   : metric.starts_with("mpi")  ? Use::kMpi
                   : metric.starts_with("omp_") ? Use::kOmp
                                                : Use::kOther);
  }
  return uses;
}

uint32_t FindAnyMetric(const Profile& profile, std::initializer_list<std::string_view> unique_names) {
  for (std::string_view name : unique_names) {
    const uint32_t metric = profile.FindMetric(name);
    if (metric == kNone) continue;
    const Type type = profile.metrics[metric].type;
    if (type == Type::kUint64 || type == Type::kDouble) return metric;
  }
  return kNone;
}

int RankOf(const Profile& profile, uint32_t location) {
  const uint32_t process = profile.locations[location].process;
  return process < profile.processes.size() ? profile.processes[process].rank : static_cast<int>(process);
}

std::string LocationName(const Profile& profile, uint32_t location) {
  return std::to_string(RankOf(profile, location)) + ":" + std::to_string(profile.locations[location].thread);
}

Split::Split(const Profile& profile, uint32_t metric)
    : inclusive_(profile.call_paths.size()),
      exclusive_(profile.call_paths.size()),
      inclusive_sum_(profile.call_paths.size()),
      exclusive_sum_(profile.call_paths.size()) {
  if (metric == kNone) return;
  const epitome::Values& values = profile.values[metric];
  if (values.type() == Type::kMin || values.type() == Type::kMax) return;
  const bool stored_inclusive = profile.metrics[metric].along == Along::kInclusive;
  const auto locations = static_cast<uint32_t>(profile.locations.size());
  // Backwards: when a call path's turn comes, inclusive_ holds the sum of its children.
  for (auto p = static_cast<uint32_t>(profile.call_paths.size()); p-- > 0;) {
    std::vector<double>& inclusive = inclusive_[p];
    if (inclusive.empty() && !values.Has(p)) continue;
    inclusive.resize(locations);
    exclusive_[p].resize(locations);
    for (uint32_t l = 0; l < locations; ++l) {
      const double below = inclusive[l];
      double stored = values.Real(p, l);
      if (!std::isfinite(stored)) stored = 0;
      inclusive[l] = !stored_inclusive ? stored + below : stored == 0 ? below : stored;
      double own = stored_inclusive ? inclusive[l] - below : stored;
      // What rounding leaves of a caller that has no time of its own.
      if (own < 0 && own > -1e-12 * std::fabs(inclusive[l])) own = 0;
      exclusive_[p][l] = own;
      inclusive_sum_[p] += inclusive[l];
      exclusive_sum_[p] += own;
    }
    const uint32_t parent = profile.call_paths[p].parent;
    if (parent == kNone) {
      total_ += inclusive_sum_[p];
      continue;
    }
    inclusive_[parent].resize(locations);
    for (uint32_t l = 0; l < locations; ++l) inclusive_[parent][l] += inclusive[l];
  }
}

std::vector<uint64_t> IntegerSums(const Profile& profile, std::string_view unique_name) {
  std::vector<uint64_t> sums(profile.call_paths.size());
  const uint32_t metric = profile.FindMetric(unique_name);
  if (metric == kNone || profile.values[metric].type() != Type::kUint64) return sums;
  for (uint32_t p = 0; p < sums.size(); ++p) {
    const uint64_t* row = profile.values[metric].Row(p);
    for (size_t l = 0; row != nullptr && l < profile.locations.size(); ++l) sums[p] += row[l];
  }
  return sums;
}

Figures::Figures(const Profile& p)
    : profile(p),
      links(p.MakeLinks()),
      time(p, p.FindMetric("time")),
      visits(IntegerSums(p, "visits")),
      classes(ClassifyRegions(p)),
      location_times(p.locations.size()),
      uses(UsesOfRegions(p)),
      location_uses(p.locations.size()) {
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    const auto c = static_cast<size_t>(classes[p.call_paths[path].region]);
    class_visits[c] += visits[path];
    class_times[c] += time.ExclusiveSum(path);
    const std::vector<double>& row = time.ExclusiveRow(path);
    const auto use = static_cast<size_t>(uses[p.call_paths[path].region]);
    for (size_t l = 0; l < row.size(); ++l) {
      location_times[l][c] += row[l];
      location_uses[l][use] += row[l];
    }
  }
}

Spread SpreadOf(const std::vector<double>& row) {
  Spread spread;
  for (uint32_t l = 0; l < row.size(); ++l) {
    if (row[l] == 0) continue;
    if (spread.present++ == 0 || row[l] > spread.max) {
      spread.max = row[l];
      spread.max_location = l;
    }
    spread.sum += row[l];
  }
  return spread;
}

}  // namespace epik::report
