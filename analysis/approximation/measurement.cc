// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/measurement.h"

#include <algorithm>

namespace epik::approximation {

using graph::Cell;
using graph::Point;
using graph::PointKind;

namespace {

// A call is entered half before its time stamps and half between them; so is it left.
constexpr double kHalf = 0.5;

bool IsVisit(const Point& point) { return point.kind == PointKind::kCall && !point.continues; }

}  // namespace

WithoutMeasurement::WithoutMeasurement(const Prices* prices, Bound bound, const epitome::Profile& profile,
                                       const Unlogged* unlogged)
    : prices_(prices), bound_(bound) {
  if (unlogged == nullptr) return;
  const uint32_t time = profile.FindMetric("time");
  unlogged_ = unlogged->Spread([&](uint32_t path, uint32_t column, double visits, double share) {
    if (!prices->IsOwn(path)) return visits * prices->Of(path, bound, false);
    // Buffers that were written, clocks that were compared: nothing is called from there.
    const bool has = time != epitome::kNone && profile.values[time].Has(path);
    return has ? profile.values[time].Real(path, column) * 1e9 * share : 0;
  });
}

double WithoutMeasurement::SavedBefore(uint32_t location, const Point& point, std::span<const Cell> segment) const {
  double saved = IsVisit(point) ? kHalf * prices_->Of(point.path, bound_, true) : 0;
  for (const Cell& cell : segment) {
    const auto ns = static_cast<double>(cell.ns);
    if (prices_->IsOwn(cell.path)) {
      saved += ns;
      continue;
    }
    saved += cell.visits * prices_->Of(cell.path, bound_, true);
    saved += std::min(ns, ns * unlogged_.At(location, cell.path));
  }
  return saved;
}

double WithoutMeasurement::SavedInside(uint32_t /*location*/, const Point& point) const {
  return IsVisit(point) ? kHalf * prices_->Of(point.path, bound_, true) : 0;
}

}  // namespace epik::approximation
