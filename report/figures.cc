// SPDX-License-Identifier: BSD-3-Clause
#include "report/figures.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "archive/profile/region_class.h"

namespace epik::report {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

namespace {

// In the order of Class; words of config/paradigms.def, except for COM.
constexpr std::string_view kNames[kClasses] = {"MPI", "OMP", "THR", "COM", "USR", "EPIK"};

Class ClassOf(std::string_view word) {
  for (size_t c = 0; c < kClasses; ++c) {
    if (kNames[c] == word) return static_cast<Class>(c);
  }
  return Class::kUsr;
}

}  // namespace

std::string_view ClassName(Class c) { return kNames[static_cast<size_t>(c)]; }

std::vector<Class> ClassifyRegions(const Profile& p) {
  std::vector<Class> classes;
  classes.reserve(p.regions.size());
  for (const archive::Region& region : p.regions) {
    classes.push_back(ClassOf(archive::ClassWord(archive::KindOf(region))));
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
  for (const archive::Region& region : p.regions) {
    const std::string_view metric = archive::TimeMetricOf(region);
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

namespace {

// A value in sums: one that is infinite or no number counts as 0.
double Counted(double value, uint64_t* not_finite) {
  if (std::isfinite(value)) return value;
  ++*not_finite;
  return 0;
}

}  // namespace

Split::Split(const Profile& profile, uint32_t metric)
    : inclusive_(profile.call_paths.size()),
      exclusive_(profile.call_paths.size()),
      inclusive_sum_(profile.call_paths.size()),
      exclusive_sum_(profile.call_paths.size()),
      is_marked_(profile.is_difference) {
  if (metric == kNone) return;
  const archive::Values& values = profile.values[metric];
  if (values.type() == Type::kMin || values.type() == Type::kMax) return;
  const bool stored_inclusive = profile.metrics[metric].along == Along::kInclusive;
  const auto locations = static_cast<uint32_t>(profile.locations.size());
  // Goes backwards: at each call path, inclusive_ holds the sum of its children.
  for (auto p = static_cast<uint32_t>(profile.call_paths.size()); p-- > 0;) {
    std::vector<double>& inclusive = inclusive_[p];
    if (inclusive.empty() && !values.Has(p)) continue;
    inclusive.resize(locations);
    exclusive_[p].resize(locations);
    for (uint32_t l = 0; l < locations; ++l) {
      const double below = inclusive[l];
      const double stored = Counted(values.Real(p, l), &not_finite_);
      inclusive[l] = !stored_inclusive ? stored + below : stored == 0 ? below : stored;
      double own = stored_inclusive ? inclusive[l] - below : stored;
      // The caller has no time of its own: this is the rest of a rounding.
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

bool Split::IsDifference() const {
  if (is_marked_) return true;
  constexpr double kRounding = 1e-9;  // of all values: sums of a run may be so much below 0
  double negative = 0, all = 0;
  for (const double own : exclusive_sum_) {
    all += std::fabs(own);
    if (own < 0) negative -= own;
  }
  return negative > kRounding * all;
}

double Split::Whole() const {
  if (!IsDifference()) return total_;
  double all = 0;
  for (const double own : exclusive_sum_) all += std::fabs(own);
  return all;
}

bool Split::Read(const Profile& definitions, uint32_t metric, const ExclusiveRowSource& rows, double least,
                 const std::function<void(uint32_t, const std::vector<double>&)>& each, std::string* error) {
  const size_t paths = definitions.call_paths.size();
  inclusive_.assign(paths, {});
  exclusive_.assign(paths, {});
  inclusive_sum_.assign(paths, 0);
  exclusive_sum_.assign(paths, 0);
  total_ = 0;
  is_marked_ = definitions.is_difference;
  if (metric == kNone) return true;
  std::vector<uint64_t> cells(definitions.locations.size());
  std::vector<double> own(cells.size());
  not_finite_ = 0;
  const auto read = [&](uint32_t path, uint64_t* not_finite) {
    if (!rows.read(metric, path, cells.data(), error)) return false;
    const bool whole = definitions.metrics[metric].type == Type::kUint64;
    for (size_t l = 0; l < own.size(); ++l) {
      own[l] = whole ? static_cast<double>(cells[l]) : Counted(std::bit_cast<double>(cells[l]), not_finite);
    }
    return true;
  };
  for (auto p = static_cast<uint32_t>(paths); p-- > 0;) {
    const uint32_t parent = definitions.call_paths[p].parent;
    if (rows.has(metric, p)) {
      if (!read(p, &not_finite_)) return false;
      each(p, own);
      for (const double value : own) exclusive_sum_[p] += value;
      inclusive_sum_[p] += exclusive_sum_[p];
    }
    (parent == kNone ? total_ : inclusive_sum_[parent]) += inclusive_sum_[p];
  }
  uint64_t counted_before = 0;
  // Reads all rows once more, for the call paths that are kept. Each row goes to its nearest kept call path.
  std::vector<uint32_t> keeper(paths, kNone);
  for (uint32_t p = 0; p < paths; ++p) {
    const uint32_t parent = definitions.call_paths[p].parent;
    keeper[p] = parent == kNone ? kNone : keeper[parent];
    if (inclusive_sum_[p] <= 0 || inclusive_sum_[p] < least * total_) continue;
    keeper[p] = p;
    inclusive_[p].resize(own.size());
  }
  for (auto p = static_cast<uint32_t>(paths); p-- > 0;) {
    if (keeper[p] == kNone || !rows.has(metric, p)) continue;
    if (!read(p, &counted_before)) return false;
    for (size_t l = 0; l < own.size(); ++l) inclusive_[keeper[p]][l] += own[l];
  }
  for (auto p = static_cast<uint32_t>(paths); p-- > 0;) {
    const uint32_t parent = definitions.call_paths[p].parent;
    if (keeper[p] != p || parent == kNone || keeper[parent] == kNone) continue;
    for (size_t l = 0; l < own.size(); ++l) inclusive_[keeper[parent]][l] += inclusive_[p][l];
  }
  return true;
}

void Figures::ForRows(uint32_t metric, const std::function<void(uint32_t, const uint64_t*)>& each) const {
  if (metric == kNone) return;
  std::vector<uint64_t> cells(rows == nullptr ? 0 : profile.locations.size());
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    if (rows == nullptr) {
      const uint64_t* row = profile.values[metric].Row(p);
      if (row != nullptr) each(p, row);
    } else if (rows->has(metric, p)) {
      if (!rows->read(metric, p, cells.data(), &error)) return;
      each(p, cells.data());
    }
  }
}

std::vector<uint64_t> Figures::Sums(std::string_view unique_name) const {
  std::vector<uint64_t> sums(profile.call_paths.size());
  const uint32_t metric = profile.FindMetric(unique_name);
  if (metric == kNone) return sums;
  // Files of other tools count with signed integers or with real numbers.
  const Type type = profile.metrics[metric].type;
  if (type != Type::kUint64 && type != Type::kDouble) return sums;
  ForRows(metric, [&](uint32_t p, const uint64_t* cells) {
    double real = 0;
    for (size_t l = 0; l < profile.locations.size(); ++l) {
      const double value = type == Type::kDouble ? std::bit_cast<double>(cells[l]) : 0;
      if (type == Type::kUint64) sums[p] += cells[l];
      if (value > 0 && value < 1e18) real += value;
    }
    if (type == Type::kDouble) sums[p] = static_cast<uint64_t>(std::llround(std::min(real, 9e18)));
  });
  return sums;
}

void Figures::Add(uint32_t path, const std::vector<double>& own) {
  const uint32_t region = profile.call_paths[path].region;
  const auto c = static_cast<size_t>(classes[region]), use = static_cast<size_t>(uses[region]);
  constexpr size_t kMostKept = size_t{1} << 23;
  if (profile.regions.size() * own.size() <= kMostKept) {
    std::vector<double>& sum = region_times[region];
    sum.resize(own.size());
    for (size_t l = 0; l < own.size(); ++l) sum[l] += own[l];
  }
  for (size_t l = 0; l < own.size(); ++l) {
    location_times[l][c] += own[l];
    location_uses[l][use] += own[l];
  }
}

Figures::Figures(const Profile& p)
    : profile(p),
      links(p.MakeLinks()),
      time(p, p.FindMetric("time")),
      visits(Sums("visits")),
      classes(ClassifyRegions(p)),
      location_times(p.locations.size()),
      uses(UsesOfRegions(p)),
      location_uses(p.locations.size()),
      region_times(p.regions.size()) {
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    const auto c = static_cast<size_t>(classes[p.call_paths[path].region]);
    class_visits[c] += visits[path];
    class_times[c] += time.ExclusiveSum(path);
    Add(path, time.ExclusiveRow(path));
  }
}

Figures::Figures(const Profile& p, const ExclusiveRowSource& source, double least)
    : profile(p),
      rows(&source),
      links(p.MakeLinks()),
      visits(Sums("visits")),
      classes(ClassifyRegions(p)),
      location_times(p.locations.size()),
      uses(UsesOfRegions(p)),
      location_uses(p.locations.size()),
      region_times(p.regions.size()) {
  const auto add = [this](uint32_t path, const std::vector<double>& own) { Add(path, own); };
  if (!time.Read(p, p.FindMetric("time"), source, least, add, &error)) return;
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    const auto c = static_cast<size_t>(classes[p.call_paths[path].region]);
    class_visits[c] += visits[path];
    class_times[c] += time.ExclusiveSum(path);
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

std::string RootPrefix(const Figures& f) {
  if (f.links.roots.size() != 1) return "";
  const archive::Region& region = f.profile.regions[f.profile.call_paths[f.links.roots[0]].region];
  return region.role == "artificial" ? region.name + " > " : "";
}

uint32_t RootOfAllCode(const Figures& f) {
  if (f.links.roots.size() != 1) return kNone;
  const uint32_t root = f.profile.call_paths[f.links.roots[0]].region;
  if (f.profile.regions[root].role != "artificial") return kNone;
  const auto is_code = [&](const archive::CallPath& path) {
    const archive::RegionKind kind = archive::KindOf(f.profile.regions[path.region]);
    return path.region != root && (kind == archive::RegionKind::kUser || kind == archive::RegionKind::kCompiler);
  };
  return std::any_of(f.profile.call_paths.begin(), f.profile.call_paths.end(), is_code) ? kNone : root;
}

}  // namespace epik::report
