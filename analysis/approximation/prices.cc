// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/prices.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "archive/profile/region_class.h"

namespace epik::approximation {

using archive::kNone;
using archive::Profile;
using archive::RegionKind;

namespace {

// docs/performance.md: a pair of events that is also logged takes 1.14 to 1.3 times the time of one that is not. So its
// price may be off by this much more.
constexpr double kLoggedShare = 0.2, kLoggedSpread = 0.1;
constexpr double kLeastSpread = 0.1, kMostSpread = 0.9;

// The most that two lists of prices can differ by. A file may hold any number.
constexpr double kMostPairs = 100;
// Calls of MPI and OpenMP work, too, and may hide this much of a price.
constexpr archive::Price kOthers = {0.5, 1, 1}, kAll = {1, 1, 1};

// For each call path, over all locations.
std::vector<double> SumsOf(const Profile& profile, const char* metric) {
  std::vector<double> sums(profile.call_paths.size());
  const uint32_t m = profile.FindMetric(metric);
  if (m == kNone) return sums;
  for (uint32_t path = 0; path < sums.size(); ++path) {
    if (!profile.values[m].Has(path)) continue;
    for (uint32_t l = 0; l < profile.locations.size(); ++l) sums[path] += profile.values[m].Real(path, l);
  }
  return sums;
}

std::vector<double> OwnTimes(const Profile& profile) {
  std::vector<double> sums(profile.call_paths.size());
  const uint32_t time = profile.FindMetric("time");
  if (time == kNone) return sums;
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    const std::vector<double> own = profile.Exclusive(time, l);
    for (uint32_t path = 0; path < sums.size(); ++path) sums[path] += own[path];
  }
  return sums;
}

// Sums for each call path and its callees. Callers come before their callees.
std::vector<double> WithCallees(const Profile& profile, std::vector<double> sums) {
  for (size_t path = sums.size(); path-- > 0;) {
    if (const uint32_t parent = profile.call_paths[path].parent; parent != kNone) sums[parent] += sums[path];
  }
  return sums;
}

}  // namespace

Prices::Prices(const Profile& profile, const archive::Manifest& manifest) : logged_spread_(kLoggedSpread) {
  for (const Kind kind : {kFunction, kMpi, kOpenMp}) weights_[kind] = {1, kLoggedShare};
  const archive::Processor processor = archive::ProcessorBy(manifest.processor);
  archive::OpenMpRuntime runtime = archive::OpenMpRuntime::kGomp;
  for (const archive::Manifest::Module& module : manifest.modules) runtime = archive::RuntimeBy(module.path, runtime);
  kinds_.reserve(profile.call_paths.size());
  pairs_.reserve(profile.call_paths.size());
  for (const archive::CallPath& path : profile.call_paths) {
    const archive::Region& region = profile.regions[path.region];
    const Kind kind = KindOf(region);
    kinds_.push_back(kind);
    pairs_.push_back(kind == kMpi      ? archive::PairsOfMpi(region.name, processor)
                     : kind == kOpenMp ? archive::PairsOfOpenMp(region.name, runtime, processor)
                                       : 1);
  }
  TakeProbed(profile);
  Weigh(profile, manifest);
  if (manifest.costs.there) Calibrate(manifest.costs, processor);
}

Prices::Kind Prices::KindOf(const archive::Region& region) {
  switch (archive::KindOf(region)) {
    case RegionKind::kMpi: return kMpi;
    case RegionKind::kOpenMp: return kOpenMp;
    case RegionKind::kMeasurement: return kOwn;
    default: return kFunction;
  }
}

void Prices::TakeProbed(const Profile& profile) {
  const std::vector<double> visits = SumsOf(profile, "probed_visits"), cost = SumsOf(profile, "probed_cost");
  const std::vector<double> error = SumsOf(profile, "probed_cost_error");
  probed_.resize(kinds_.size());
  for (uint32_t path = 0; path < kinds_.size(); ++path) {
    if (!(visits[path] > 0)) continue;
    const double ns = 1e9 * cost[path] / visits[path], off = 1e9 * error[path] / visits[path];
    if (ns >= 0 && off >= 0 && std::isfinite(ns + off)) probed_[path] = {ns, off};
  }
}

// Shares out the cost that the run stated: a visit of a function that works gets less of it. Visits that were only
// counted, and calls of paths that were dropped, have prices of their own.
void Prices::Weigh(const Profile& profile, const archive::Manifest& manifest) {
  if (std::isfinite(manifest.hot.untimed_cost_ns)) untimed_ns_ = std::max(0.0, manifest.hot.untimed_cost_ns);
  const archive::VisitPrices stated{manifest.pair_alone_ns, manifest.pair_behind_least_ns,
                                    manifest.pair_behind_most_ns};
  const bool all_alike = !(stated.alone > 0) || !(stated.behind_least >= 0);
  const std::vector<double> visits = SumsOf(profile, "visits"), inside = WithCallees(profile, visits);
  const std::vector<double> untimed = SumsOf(profile, "untimed_visits"), dropped = SumsOf(profile, "dropped_calls");
  const std::vector<double> inclusive = WithCallees(profile, OwnTimes(profile));
  // Functions do not work while others have the processor.
  const double running = std::clamp(1 - manifest.QueuedShare(), 0.0, 1.0);
  double pairs = 0, most_pairs = 0, all = 0, known_ns = 0;
  shares_.reserve(kinds_.size());
  for (uint32_t path = 0; path < kinds_.size(); ++path) {
    archive::Price share = all_alike ? kAll : kOthers;
    if (!all_alike && kinds_[path] == kFunction) {
      const archive::Price price =
          archive::PriceOf(stated, inclusive[path] * running * 1e9, visits[path], inside[path]);
      share = {price.least / stated.alone, price.likely / stated.alone, price.most / stated.alone};
    }
    shares_.push_back(share);
    all += visits[path];
    if (kinds_[path] == kOwn) continue;
    const double not_timed = std::clamp(untimed[path], 0.0, std::max(0.0, visits[path]));
    const double timed = visits[path] - not_timed;
    known_ns += (not_timed + std::max(0.0, dropped[path])) * untimed_ns_;
    if (probed_[path].ns >= 0) {
      known_ns += timed * probed_[path].ns;
      continue;
    }
    const double paid = timed * pairs_[path];
    pairs += paid * share.likely;
    most_pairs += paid * share.most;
  }
  // The cost that the run stated includes branches that no processor predicts and call paths that are far away.
  // It is not held down to the CPU time, which says little where others had the processors.
  const double stated_cost = std::max(manifest.cost_by_prices_seconds, manifest.cost_seconds);
  const double cost = std::max(0.0, stated_cost - known_ns * 1e-9);
  pair_ns_ = pairs > 0 && cost > 0 ? cost * 1e9 / pairs : manifest.pair_cost_ns;
  if (!std::isfinite(pair_ns_) || pair_ns_ < 0) pair_ns_ = 0;
  // The stated error has two parts: the time that the functions' own work may hide, which the shares know, and the
  // rest.
  const double hidden = (most_pairs - pairs) * pair_ns_ * 1e-9;
  const double error = cost > 0 ? std::max(0.0, manifest.cost_error_seconds - hidden) / cost : 0;
  spread_ = std::isfinite(error) ? std::clamp(error, kLeastSpread, kMostSpread) : kMostSpread;
  mean_ns_ = all > 0 ? (pair_ns_ * pairs + known_ns) / all : pair_ns_;
}

// The run knows best what a function cost in it. The calibration knows the ratios between kinds of events, how much the
// price varies, and between which limits.
void Prices::Calibrate(const archive::Calibration& costs, archive::Processor processor) {
  const archive::Calibration::Price* function = costs.Find("function", "summary");
  if (function == nullptr || !(function->quiet_small > 0)) return;
  calibrated_ = true;
  // `in_pairs`: the price of that event in the tables of EPIK.
  const auto weigh = [&](Kind kind, const char* event, double in_pairs) {
    const archive::Calibration::Price* price = costs.Find(event, "summary");
    if (price == nullptr || !(price->quiet_small > 0)) return;
    weights_[kind].pairs = std::min(price->quiet_small / function->quiet_small, kMostPairs) / in_pairs;
    const double both = costs.Quiet(event, "both", price->quiet_small * (1 + kLoggedShare));
    weights_[kind].logged = std::clamp(both / price->quiet_small - 1, 0.0, kMostPairs);
  };
  weigh(kFunction, "function", 1);
  weigh(kMpi, "mpi", archive::PairsOfCalibratedMpi(processor));
  weigh(kOpenMp, "openmp", archive::PairsOfCalibratedOpenMp(processor));
  if (!(untimed_ns_ > 0)) untimed_ns_ = costs.Quiet("function", "sampled");
  if (function->busy_small > 0) {
    const double half =
        std::abs(function->busy_small - function->quiet_small) / (function->busy_small + function->quiet_small);
    spread_ = std::clamp(half, spread_, kMostSpread);
  }
  least_ns_ = function->Least();
  most_ns_ = function->Most();
}

Prices Prices::Same(double ns, size_t paths, double spread) {
  Prices prices;
  prices.pair_ns_ = prices.mean_ns_ = ns;
  prices.spread_ = spread;
  prices.kinds_.assign(paths, kFunction);
  return prices;
}

// The limits hold for bounds alone, and never exclude the run's own price.
double Prices::PairNs(Bound bound, double more_spread) const {
  const double error = spread_ + more_spread;
  if (bound == Bound::kLower) {
    const double most = pair_ns_ * (1 + error);
    return most_ns_ > 0 ? std::min(most, std::max(most_ns_, pair_ns_ * (1 + kLeastSpread))) : most;
  }
  if (bound == Bound::kUpper) {
    const double least = pair_ns_ * std::max(0.0, 1 - error);
    return std::max(least, std::min(least_ns_, pair_ns_ * (1 - kLeastSpread)));
  }
  return pair_ns_;
}

double Prices::OfProbed(const Probed& probed, Bound bound, double share, double more_spread) {
  if (bound == Bound::kLower) return (probed.ns + probed.error) * (share + more_spread);
  if (bound == Bound::kUpper) return std::max(0.0, probed.ns - probed.error) * std::max(0.0, share - more_spread);
  return probed.ns * share;
}

double Prices::Of(uint32_t path, Bound bound, bool logged) const {
  const Weight& weight = weights_[path < kinds_.size() ? kinds_[path] : kFunction];
  const double share = logged ? 1 + weight.logged : 1;
  const double more = logged && weight.logged > 0 ? logged_spread_ : 0;
  if (path < probed_.size() && probed_[path].ns >= 0) return OfProbed(probed_[path], bound, share, more);
  const archive::Price& by_work = path < shares_.size() ? shares_[path] : kAll;
  const double part = bound == Bound::kLower ? by_work.most : bound == Bound::kUpper ? by_work.least : by_work.likely;
  const double pairs = path < pairs_.size() ? pairs_[path] : 1;
  return PairNs(bound, more) * weight.pairs * pairs * share * part;
}

double Prices::OfUntimed(Bound bound) const {
  return pair_ns_ > 0 ? untimed_ns_ * PairNs(bound, 0) / pair_ns_ : untimed_ns_;
}

PaidVisits::PaidVisits(const Profile& profile)
    : profile_(profile),
      visits_(profile.FindMetric("visits")),
      untimed_(profile.FindMetric("untimed_visits")),
      dropped_(profile.FindMetric("dropped_calls")) {}

double PaidVisits::Count(uint32_t metric, uint32_t path, uint32_t location) const {
  const bool has = metric != kNone && profile_.values[metric].Has(path);
  return has ? std::max(0.0, profile_.values[metric].Real(path, location)) : 0;
}

double PaidVisits::Seconds(const Prices& prices, Bound bound, uint32_t path, uint32_t location) const {
  const double visits = Count(visits_, path, location), untimed = std::min(Count(untimed_, path, location), visits);
  const double counted = untimed + Count(dropped_, path, location);
  return ((visits - untimed) * prices.Of(path, bound, false) + counted * prices.OfUntimed(bound)) * 1e-9;
}

ProfileCost CostOf(const Profile& profile, const Prices& prices, Bound bound) {
  ProfileCost cost;
  cost.by_location.resize(profile.locations.size());
  cost.by_path.resize(profile.call_paths.size());
  const PaidVisits visits(profile);
  const uint32_t time = profile.FindMetric("time");
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    std::vector<double> own;
    if (time != kNone) own = profile.Exclusive(time, l);
    for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
      double seconds = 0;
      if (!prices.IsOwn(path)) {
        seconds = visits.Seconds(prices, bound, path, l);
      } else if (!own.empty()) {
        seconds = std::max(0.0, own[path]);
      }
      cost.by_location[l] += seconds;
      cost.by_path[path] += seconds;
    }
  }
  return cost;
}

}  // namespace epik::approximation
