// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/prices.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "archive/profile/region_class.h"

namespace epik::approximation {

using epitome::kNone;
using epitome::Profile;
using epitome::RegionKind;

namespace {

// The same weights as in the cost that a run states (archive/parts/measuring_cost.cc).
constexpr double kMpiPairs = 2, kOpenMpPairs = 1.5;
// docs/performance.md: a pair that is logged, too, takes 1.14 to 1.3 times one that is not. By so much more may it be
// off.
constexpr double kLoggedShare = 0.2, kLoggedSpread = 0.1;
constexpr double kLeastSpread = 0.1, kMostSpread = 0.9;

double WeightOf(RegionKind kind) {
  switch (kind) {
    case RegionKind::kMpi: return kMpiPairs;
    case RegionKind::kOpenMp: return kOpenMpPairs;
    case RegionKind::kMeasurement: return 0;
    default: return 1;
  }
}

}  // namespace

Prices::Prices(const Profile& profile, const archive::Manifest& manifest) : logged_(kLoggedShare) {
  double pairs = 0;
  const uint32_t visits = profile.FindMetric("visits");
  weight_.reserve(profile.call_paths.size());
  own_.reserve(profile.call_paths.size());
  for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
    const RegionKind kind = epitome::KindOf(profile.regions[profile.call_paths[path].region]);
    weight_.push_back(static_cast<float>(WeightOf(kind)));
    own_.push_back(kind == RegionKind::kMeasurement);
    if (visits == kNone || !profile.values[visits].Has(path)) continue;
    for (uint32_t l = 0; l < profile.locations.size(); ++l) {
      pairs += profile.values[visits].Real(path, l) * weight_.back();
    }
  }
  // The cost that the run stated includes branches that no processor predicts and call paths that are far away.
  // It is not held down to the CPU time, which says little where others had the processors.
  const double cost = std::max(manifest.cost_by_prices_seconds, manifest.cost_seconds);
  pair_ns_ = pairs > 0 && cost > 0 ? cost * 1e9 / pairs : manifest.pair_cost_ns;
  if (!std::isfinite(pair_ns_) || pair_ns_ < 0) pair_ns_ = 0;
  const double error = cost > 0 ? manifest.cost_error_seconds / cost : 0;
  spread_ = std::isfinite(error) ? std::clamp(error, kLeastSpread, kMostSpread) : kMostSpread;
}

Prices Prices::Same(double ns, size_t paths, double spread) {
  Prices prices;
  prices.pair_ns_ = ns;
  prices.spread_ = spread;
  prices.weight_.assign(paths, 1);
  prices.own_.assign(paths, false);
  return prices;
}

double Prices::Of(uint32_t path, Bound bound, bool logged) const {
  const double weight = path < weight_.size() ? static_cast<double>(weight_[path]) : 1;
  double share = logged ? 1 + logged_ : 1, error = spread_ + (logged && logged_ > 0 ? kLoggedSpread : 0);
  if (bound == Bound::kLower) share *= 1 + error;
  if (bound == Bound::kUpper) share *= std::max(0.0, 1 - error);
  return pair_ns_ * weight * share;
}

ProfileCost CostOf(const Profile& profile, const Prices& prices, Bound bound) {
  ProfileCost cost;
  cost.by_location.resize(profile.locations.size());
  cost.by_path.resize(profile.call_paths.size());
  const uint32_t visits = profile.FindMetric("visits"), time = profile.FindMetric("time");
  const uint32_t untimed = profile.FindMetric("untimed_visits");
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    std::vector<double> own;
    if (time != kNone) own = profile.Exclusive(time, l);
    for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
      double seconds = 0;
      if (prices.IsOwn(path)) {
        seconds = own.empty() ? 0 : std::max(0.0, own[path]);
      } else if (visits != kNone && profile.values[visits].Has(path)) {
        double timed = profile.values[visits].Real(path, l);
        if (untimed != kNone && profile.values[untimed].Has(path)) timed -= profile.values[untimed].Real(path, l);
        seconds = std::max(0.0, timed) * prices.Of(path, bound, false) * 1e-9;
      }
      cost.by_location[l] += seconds;
      cost.by_path[path] += seconds;
    }
  }
  return cost;
}

}  // namespace epik::approximation
