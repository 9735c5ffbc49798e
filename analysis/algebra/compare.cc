// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/algebra/names.h"

namespace epik::algebra {

using archive::kNone;
using archive::Profile;
using archive::Type;
using archive::Values;

namespace {

constexpr double kFalseDiscoveries = 0.05;

// Adds two values. A NaN makes the sum NaN.
double Add(Type type, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  switch (type) {
    case Type::kMin: return std::min(a, b);
    case Type::kMax: return std::max(a, b);
    default: return a + b;
  }
}

double Nothing(Type type) { return Values(type, 1, 1).Real(0, 0); }

// A minimum or maximum has no value where nothing ran; it is shown as 0.
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
  const std::vector<archive::CallPath>& paths = definitions().call_paths;
  const Places& places = united_.operands[run];
  const Experiment& operand = *operands_[run];
  const Type type = definitions().metrics[metric].type;
  sums->own.assign(paths.size(), Nothing(type));
  const uint32_t m = places.metric[metric];
  const ExclusiveRows rows(operand);
  std::vector<uint64_t> cells(operand.definitions().locations.size());
  std::vector<double> of_location(cells.size());
  for (uint32_t p = 0; p < paths.size() && m != kNone; ++p) {
    const uint32_t own = places.path[p];
    if (own == kNone || !operand.HasRow(m, own)) continue;
    if (!rows.Read(m, own, cells.data(), error)) return false;
    const bool counts = operand.definitions().metrics[m].type == Type::kUint64;
    for (size_t l = 0; l < cells.size(); ++l) {
      const double value = counts ? static_cast<double>(cells[l]) : std::bit_cast<double>(cells[l]);
      sums->own[p] = Add(type, sums->own[p], value);
      if (std::isfinite(value)) of_location[l] += value;
    }
  }
  if (!of_location.empty()) sums->most = *std::max_element(of_location.begin(), of_location.end());
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

bool Runs::LoadWalls(std::string* error) {
  if (!walls_.empty()) return true;
  const uint32_t time = definitions().FindMetric("time");
  if (time == kNone) return true;  // then no run has figures to compare
  if (!Load(time, error)) return false;
  for (const Sums& sums : sums_[time]) walls_.push_back(sums.most);
  return true;
}

Change Runs::Wall() const {
  if (walls_.size() != operands_.size()) return {};
  const auto first_after = walls_.begin() + static_cast<std::ptrdiff_t>(before_);
  return {Summarize({walls_.begin(), first_after}), Summarize({first_after, walls_.end()}), 0};
}

Runs::Size Runs::SizeOf(size_t run) const {
  const Profile& profile = operands_[run]->definitions();
  return {profile.processes.size(), profile.locations.size()};
}

bool Runs::SameSize() const {
  for (size_t run = 1; run < operands_.size(); ++run) {
    if (!(SizeOf(run) == SizeOf(0))) return false;
  }
  return true;
}

template <class Figure>
Change Runs::ChangeOf(uint32_t metric, Figure figure) const {
  const std::vector<Sums>& sums = sums_.at(metric);
  const Type type = definitions().metrics[metric].type;
  std::vector<double> before, after;
  for (size_t run = 0; run < sums.size(); ++run) {
    const double shown = Shown(type, figure(sums[run]));
    if (std::isfinite(shown)) (run < before_ ? before : after).push_back(shown);
  }
  return {Summarize(before), Summarize(after), sums.size() - before.size() - after.size()};
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
  const std::vector<archive::CallPath>& paths = definitions().call_paths;
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

bool CheckMetric(const Runs& runs, const std::string& metric, std::string* error) {
  if (metric == kWall && runs.definitions().FindMetric("time") != kNone) return true;
  if (ChooseMetric(runs.definitions(), metric, error) != kNone) return true;
  if (runs.definitions().FindMetric("time") != kNone) *error += std::string(" ") + kWall;
  return false;
}

namespace {

// Marks the significant changes among all that were tested together.
void Test(double least_percent, bool inclusive, Comparison* comparison) {
  const double whole = std::max(std::fabs(comparison->total.before.mean), std::fabs(comparison->total.after.mean));
  std::vector<PathChange*> tested;
  std::vector<double> probabilities;
  for (PathChange& change : comparison->paths) {
    const Change& figure = inclusive ? change.whole : change.own;
    const double most = std::max(std::fabs(figure.before.mean), std::fabs(figure.after.mean));
    change.probability = figure.Probability();
    if (!comparison->has_noise || most == 0 || most * 100 < whole * least_percent) continue;
    tested.push_back(&change);
    probabilities.push_back(change.probability);
  }
  const std::vector<bool> significant = Significant(probabilities, kFalseDiscoveries);
  for (size_t i = 0; i < tested.size(); ++i) tested[i]->significant = significant[i];
}

}  // namespace

bool Compare(Runs* runs, const std::string& metric, double least_percent, bool inclusive, Comparison* comparison,
             std::string* error) {
  const Profile& definitions = runs->definitions();
  if (!runs->LoadWalls(error)) return false;
  comparison->metric = metric;
  comparison->has_noise = runs->before() + runs->after() > 2;
  comparison->wall = runs->Wall();
  if (metric == kWall) {
    comparison->unit = "sec";
    comparison->total = comparison->wall;
    return true;
  }
  const uint32_t m = ChooseMetric(definitions, metric, error), visits = definitions.FindMetric("visits");
  if (!runs->Load(m, error) || (visits != kNone && !runs->Load(visits, error))) return false;
  comparison->unit = definitions.metrics[m].unit;
  comparison->total = runs->Total(m);
  for (uint32_t p = 0; p < definitions.call_paths.size(); ++p) {
    PathChange change;
    change.path = p;
    change.own = runs->Own(m, p);
    change.whole = runs->Whole(m, p);
    if (visits != kNone) change.visits = runs->Own(visits, p);
    double any = 0;
    for (const Change* figure : {&change.own, &change.whole, &change.visits}) {
      any = std::max({any, std::fabs(figure->before.mean), std::fabs(figure->after.mean)});
    }
    if (any > 0) comparison->paths.push_back(change);
  }
  Test(least_percent, inclusive, comparison);
  return true;
}

}  // namespace epik::algebra
