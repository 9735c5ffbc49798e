// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/algebra/names.h"

namespace epik::algebra {

using epitome::kNone;
using epitome::Profile;
using epitome::Type;
using epitome::Values;

namespace {

constexpr double kFalseDiscoveries = 0.05;

double Add(Type type, double a, double b) {
  switch (type) {
    case Type::kMin: return std::min(a, b);
    case Type::kMax: return std::max(a, b);
    default: return a + b;
  }
}

double Nothing(Type type) { return Values(type, 1, 1).Real(0, 0); }

// Of a minimum where nothing ran, nothing is known: shown as 0.
double Shown(Type type, double value) { return value == Nothing(type) ? 0 : value; }

}  // namespace

double Change::Percent() const {
  if (Difference() == 0) return 0;
  const double infinity = std::numeric_limits<double>::infinity();
  return before.mean == 0 ? std::copysign(infinity, Difference()) : Difference() / std::fabs(before.mean) * 100;
}

Runs::Runs(std::vector<Operand> before, std::vector<Operand> after)
    : operands_(std::move(before)), before_(operands_.size()) {
  operands_.insert(operands_.end(), after.begin(), after.end());
  std::vector<const Profile*> definitions;
  for (const Operand& operand : operands_) definitions.push_back(&operand->definitions());
  united_ = Unite(definitions);
}

bool Runs::LoadRun(uint32_t metric, size_t run, Sums* sums, std::string* error) const {
  const std::vector<epitome::CallPath>& paths = definitions().call_paths;
  const Places& places = united_.operands[run];
  const Experiment& operand = *operands_[run];
  const Type type = definitions().metrics[metric].type;
  sums->own.assign(paths.size(), Nothing(type));
  const uint32_t m = places.metric[metric];
  const ExclusiveRows rows(operand);
  std::vector<uint64_t> cells(operand.definitions().locations.size());
  for (uint32_t p = 0; p < paths.size() && m != kNone; ++p) {
    const uint32_t own = places.path[p];
    if (own == kNone || !operand.HasRow(m, own)) continue;
    if (!rows.Read(m, own, cells.data(), error)) return false;
    const bool counts = operand.definitions().metrics[m].type == Type::kUint64;
    for (const uint64_t cell : cells) {
      const double value = counts ? static_cast<double>(cell) : std::bit_cast<double>(cell);
      if (std::isfinite(value)) sums->own[p] = Add(type, sums->own[p], value);
    }
  }
  sums->whole = sums->own;
  for (auto p = static_cast<uint32_t>(paths.size()); p-- > 0;) {
    if (paths[p].parent == kNone) continue;
    double& caller = sums->whole[paths[p].parent];
    caller = Add(type, caller, sums->whole[p]);
  }
  return true;
}

bool Runs::Load(uint32_t metric, std::string* error) {
  if (sums_.count(metric) != 0) return true;
  std::vector<Sums> sums(operands_.size());
  for (size_t run = 0; run < sums.size(); ++run) {
    if (!LoadRun(metric, run, &sums[run], error)) return false;
  }
  sums_[metric] = std::move(sums);
  return true;
}

template <class Figure>
Change Runs::ChangeOf(uint32_t metric, Figure figure) const {
  const std::vector<Sums>& sums = sums_.at(metric);
  const Type type = definitions().metrics[metric].type;
  std::vector<double> before, after;
  for (size_t run = 0; run < sums.size(); ++run) {
    (run < before_ ? before : after).push_back(Shown(type, figure(sums[run])));
  }
  return {Summarize(before), Summarize(after)};
}

Change Runs::Own(uint32_t metric, uint32_t path) const {
  return ChangeOf(metric, [path](const Sums& sums) { return sums.own[path]; });
}

Change Runs::Whole(uint32_t metric, uint32_t path) const {
  return ChangeOf(metric, [path](const Sums& sums) { return sums.whole[path]; });
}

Change Runs::Total(uint32_t metric) const {
  const Type type = definitions().metrics[metric].type;
  return ChangeOf(metric, [&](const Sums& sums) {
    double total = Nothing(type);
    for (const double own : sums.own) total = Add(type, total, own);
    return total;
  });
}

Change Runs::OfRegions(uint32_t metric, const std::vector<bool>& regions) const {
  const std::vector<epitome::CallPath>& paths = definitions().call_paths;
  const Type type = definitions().metrics[metric].type;
  std::vector<bool> within(paths.size());
  std::vector<uint32_t> outermost;
  for (uint32_t p = 0; p < paths.size(); ++p) {
    const bool below = paths[p].parent != kNone && within[paths[p].parent];
    if (regions[paths[p].region] && !below) outermost.push_back(p);
    within[p] = below || regions[paths[p].region];
  }
  return ChangeOf(metric, [&](const Sums& sums) {
    double total = Nothing(type);
    for (const uint32_t p : outermost) total = Add(type, total, sums.whole[p]);
    return total;
  });
}

bool Compare(Runs* runs, const std::string& metric, double least_percent, Comparison* comparison, std::string* error) {
  const Profile& definitions = runs->definitions();
  const uint32_t m = ChooseMetric(definitions, metric, error);
  const uint32_t visits = definitions.FindMetric("visits");
  if (m == kNone || !runs->Load(m, error) || (visits != kNone && !runs->Load(visits, error))) return false;
  comparison->metric = metric;
  comparison->unit = definitions.metrics[m].unit;
  comparison->total = runs->Total(m);
  comparison->has_noise = runs->before() + runs->after() > 2;
  const double whole = std::max(std::fabs(comparison->total.before.mean), std::fabs(comparison->total.after.mean));
  std::vector<size_t> tested;
  std::vector<double> probabilities;
  for (uint32_t p = 0; p < definitions.call_paths.size(); ++p) {
    PathChange change;
    change.path = p;
    change.own = runs->Own(m, p);
    change.whole = runs->Whole(m, p);
    if (visits != kNone) change.visits = runs->Own(visits, p);
    const double most = std::max(std::fabs(change.own.before.mean), std::fabs(change.own.after.mean));
    if (most == 0 && change.whole.before.mean == 0 && change.whole.after.mean == 0 && change.visits.before.mean == 0 &&
        change.visits.after.mean == 0) {
      continue;
    }
    change.probability = change.own.Probability();
    if (comparison->has_noise && most > 0 && most * 100 >= whole * least_percent) {
      tested.push_back(comparison->paths.size());
      probabilities.push_back(change.probability);
    }
    comparison->paths.push_back(change);
  }
  const std::vector<bool> significant = Significant(probabilities, kFalseDiscoveries);
  for (size_t i = 0; i < tested.size(); ++i) comparison->paths[tested[i]].significant = significant[i];
  return true;
}

}  // namespace epik::algebra
