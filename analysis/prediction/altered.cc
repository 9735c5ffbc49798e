// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/prediction/altered.h"

#include <algorithm>

namespace epik::prediction {

using approximation::Change;
using approximation::Stay;
using approximation::TracedRun;
using graph::kNone;

Altered::Altered(const TracedRun& run, const Change* also) : run_(run), also_(also) {
  if (run.unlogged == nullptr) return;
  const uint32_t time = run.profile.FindMetric("time");
  hidden_ = run.unlogged->Spread([&](uint32_t path, uint32_t column, double /*visits*/, double share) {
    const bool has = time != kNone && run.profile.values[time].Has(path);
    return has ? run.profile.values[time].Real(path, column) * 1e9 * share : 0;
  });
}

void Altered::Set(const Savings& saved, approximation::Whereabouts whereabouts) {
  saved_ = saved;
  if (run_.unlogged == nullptr) return;
  const uint32_t time = run_.profile.FindMetric("time");
  std::vector<uint32_t> location_of(run_.profile.locations.size(), kNone);
  for (uint32_t l = 0; l < run_.columns.size(); ++l) {
    if (run_.columns[l] < location_of.size()) location_of[run_.columns[l]] = l;
  }
  const auto worth = [&](uint32_t path, uint32_t column, double /*visits*/, double share) {
    const bool has = time != kNone && run_.profile.values[time].Has(path);
    const double goes = has ? saved_(location_of[column], path) : 0;
    return goes == 0 ? 0 : run_.profile.values[time].Real(path, column) * 1e9 * share * goes;
  };
  unlogged_ = run_.unlogged->Spread(worth, whereabouts);
}

double Altered::SavedAtVisit(uint32_t location, uint32_t path) const {
  return also_ != nullptr ? also_->SavedAtVisit(location, path) : 0;
}

double Altered::SavedShare(uint32_t location, uint32_t path) const {
  const double saved = also_ != nullptr ? also_->SavedShare(location, path) : 0;
  return saved + OwnShare(location, path, hidden_.At(location, path)) + unlogged_.At(location, path);
}

double Altered::SavedShareIn(const Stay& stay) const {
  const double saved = also_ != nullptr ? also_->SavedShareIn(stay) : 0;
  return saved + OwnShare(stay.location(), stay.path, hidden_.At(stay)) + unlogged_.At(stay);
}

// The own code of the call path saves this of each nanosecond. Other calls, which are not in the trace, took a part of
// it.
double Altered::OwnShare(uint32_t location, uint32_t path, double hidden) const {
  if (!saved_ || path == kNone) return 0;
  return (1 - std::clamp(hidden, 0.0, 1.0)) * saved_(location, path);
}

std::vector<double> OwnSeconds(const TracedRun& run, uint32_t path) {
  std::vector<double> seconds(run.columns.size());
  const uint32_t time = run.profile.FindMetric("time");
  if (time == kNone || !run.profile.values[time].Has(path)) return seconds;
  for (uint32_t l = 0; l < seconds.size(); ++l) {
    if (run.columns[l] < run.profile.locations.size()) seconds[l] = run.profile.values[time].Real(path, run.columns[l]);
  }
  return seconds;
}

}  // namespace epik::prediction
