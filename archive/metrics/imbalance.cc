// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/imbalance.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "archive/profile/region_class.h"

namespace epik::archive {

namespace {

// The mean of equal values may differ from them in its last digits, which is no imbalance.
constexpr double kEven = 1e-12;

struct PartMetric {
  const char *name, *display, *description;
  int parent;  // -1: none
};

constexpr PartMetric kMetrics[Imbalance::kParts] = {
    {"imbalance", "Computational imbalance",
     "Difference of a thread's computation from the mean of all that could do it", -1},
    {"imbalance_above", "Overload", "Computation above the mean", Imbalance::kAll},
    {"imbalance_above_single", "Single participant", "Where one thread alone does what all could", Imbalance::kAbove},
    {"imbalance_below", "Underload", "Computation below the mean", Imbalance::kAll},
    {"imbalance_below_bypass", "Non-participation", "Underload of threads that never came to the call path",
     Imbalance::kBelow},
    {"imbalance_below_singularity", "Singularity", "Underload of these threads while one thread alone came to it",
     Imbalance::kBypass},
};

// Whether the region makes threads. All threads could then take part in the call paths below.
bool MakesThreads(const Region& region) {
  return (region.paradigm == "openmp" && region.role == "parallel") ||
         (KindOf(region) == RegionKind::kThread && TimeMetricOf(region) == "comp");
}

}  // namespace

Imbalance::Imbalance(const Profile& definitions)
    : concerns_(definitions.call_paths.size()),
      parallel_(definitions.call_paths.size()),
      leads_(definitions.locations.size()),
      locations_(definitions.locations.size()) {
  uint32_t last = kNone;
  for (size_t l = 0; l < locations_; ++l) {
    leads_[l] = definitions.locations[l].process != last;
    last = definitions.locations[l].process;
    if (leads_[l]) ++processes_;
  }
  std::vector<bool> computes;
  for (const Region& region : definitions.regions) computes.push_back(TimeMetricOf(region) == "comp");
  for (uint32_t p = 0; p < concerns_.size(); ++p) {
    const uint32_t parent = definitions.call_paths[p].parent, region = definitions.call_paths[p].region;
    parallel_[p] = (parent != kNone && parallel_[parent]) || MakesThreads(definitions.regions[region]);
    concerns_[p] = computes[region] && (parallel_[p] ? locations_ : processes_) > 1;
  }
}

bool Imbalance::ConcernsAny() const { return std::find(concerns_.begin(), concerns_.end(), true) != concerns_.end(); }

void Imbalance::Divide(uint32_t path, const double* computation, const uint64_t* visits, Rows* rows) const {
  for (std::vector<double>& row : *rows) row.assign(locations_, 0);
  const auto takes_part = [&](size_t l) { return parallel_[path] || leads_[l]; };
  const auto came = [&](size_t l) { return visits != nullptr && visits[l] != 0; };
  const size_t participants = parallel_[path] ? locations_ : processes_;
  double sum = 0;
  size_t visitors = 0;
  for (size_t l = 0; l < locations_; ++l) {
    if (!takes_part(l)) continue;
    sum += computation[l];
    visitors += came(l) ? 1 : 0;
  }
  const double mean = sum / static_cast<double>(participants);
  if (!(mean > 0)) return;
  for (size_t l = 0; l < locations_; ++l) {
    if (!takes_part(l)) continue;
    const double difference = computation[l] - mean;
    if (std::fabs(difference) > kEven * mean) {
      (*rows)[kAll][l] = std::fabs(difference);
      (*rows)[difference > 0 ? kAbove : kBelow][l] = std::fabs(difference);
    }
    if (visitors == participants || visitors == 0) continue;
    if (!came(l)) (*rows)[kBypass][l] = mean;
    if (visitors == 1) (*rows)[came(l) ? kSingle : kSingularity][l] = std::fabs(difference);
  }
}

uint32_t Imbalance::AddMetrics(Profile* definitions) {
  const auto first = static_cast<uint32_t>(definitions->metrics.size());
  for (const PartMetric& metric : kMetrics) {
    const uint32_t parent = metric.parent < 0 ? kNone : first + static_cast<uint32_t>(metric.parent);
    definitions->metrics.push_back(
        {metric.name, metric.display, "sec", metric.description, Type::kDouble, Along::kExclusive, parent});
  }
  return first;
}

bool Imbalance::IsOne(std::string_view unique_name) {
  return std::any_of(std::begin(kMetrics), std::end(kMetrics),
                     [&](const PartMetric& metric) { return unique_name == metric.name; });
}

void AddImbalance(Profile* profile) {
  const uint32_t computation = profile->FindMetric("comp"), visits = profile->FindMetric("visits");
  if (computation == kNone || profile->FindMetric(kMetrics[0].name) != kNone) return;
  const Imbalance imbalance(*profile);
  if (!imbalance.ConcernsAny()) return;
  const uint32_t first = Imbalance::AddMetrics(profile);
  const size_t locations = profile->locations.size();
  for (size_t part = 0; part < Imbalance::kParts; ++part) {
    profile->values.emplace_back(Type::kDouble, profile->call_paths.size(), locations);
  }
  Imbalance::Rows rows;
  std::vector<double> seconds(locations);
  for (uint32_t p = 0; p < profile->call_paths.size(); ++p) {
    if (!imbalance.Concerns(p) || !profile->values[computation].Has(p)) continue;
    for (uint32_t l = 0; l < locations; ++l) seconds[l] = profile->values[computation].Real(p, l);
    imbalance.Divide(p, seconds.data(), visits == kNone ? nullptr : profile->values[visits].Row(p), &rows);
    for (uint32_t part = 0; part < Imbalance::kParts; ++part) {
      if (std::all_of(rows[part].begin(), rows[part].end(), [](double value) { return value == 0; })) continue;
      uint64_t* to = profile->values[first + part].MutableRow(p);
      for (size_t l = 0; l < locations; ++l) to[l] = std::bit_cast<uint64_t>(rows[part][l]);
    }
  }
}

}  // namespace epik::archive
