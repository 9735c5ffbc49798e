// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/measurement.h"

#include <algorithm>

namespace epik::approximation {

WithoutMeasurement::WithoutMeasurement(const Prices* prices, Bound bound, const archive::Profile& profile,
                                       const Unlogged* unlogged)
    : prices_(prices), bound_(bound) {
  if (unlogged == nullptr) return;
  const uint32_t time = profile.FindMetric("time");
  unlogged_ = unlogged->Spread([&](uint32_t path, uint32_t column, double visits, double share) {
    if (!prices->IsOwn(path)) return visits * prices->Of(path, bound, false);
    // The measurement's own region: written buffers, compared clocks. It has no callees.
    const bool has = time != archive::kNone && profile.values[time].Has(path);
    return has ? profile.values[time].Real(path, column) * 1e9 * share : 0;
  });
}

double WithoutMeasurement::SavedAtVisit(uint32_t /*location*/, uint32_t path) const {
  return prices_->IsOwn(path) ? 0 : prices_->Of(path, bound_, true);
}

double WithoutMeasurement::SavedShare(uint32_t location, uint32_t path) const {
  return prices_->IsOwn(path) ? 1 : std::min(1.0, unlogged_.At(location, path));
}

double WithoutMeasurement::SavedShareIn(const Stay& stay) const {
  return prices_->IsOwn(stay.path) ? 1 : std::min(1.0, unlogged_.At(stay));
}

}  // namespace epik::approximation
