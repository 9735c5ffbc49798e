// SPDX-License-Identifier: BSD-3-Clause
// A run with code that is faster or slower, by call path and by location. Calls that the summary has and the trace
// lacks count with the call around them.
#ifndef EPIK_ANALYSIS_PREDICTION_ALTERED_H_
#define EPIK_ANALYSIS_PREDICTION_ALTERED_H_

#include <functional>
#include <vector>

#include "analysis/approximation/change.h"
#include "analysis/approximation/traced_run.h"

namespace epik::prediction {

// The share of a call path's time at a location that is saved: 0 is nothing, 1 is all of it, and below 0 it takes
// longer.
using Savings = std::function<double(uint32_t location, uint32_t path)>;

class Altered : public approximation::Change {
 public:
  // If `also` is not null, its savings come first. Both arguments outlive this object.
  Altered(const approximation::TracedRun& run, const approximation::Change* also);

  // Sets the savings of each call path's own time. Calls of MPI and constructs of OpenMP that wait keep their times.
  void Set(const Savings& saved, approximation::Whereabouts whereabouts = approximation::Whereabouts::kLikely);

  // Nanoseconds that are saved in calls that the trace lacks and whose places in it are not known.
  double Scattered() const { return unlogged_.scattered(); }

  double SavedAtVisit(uint32_t location, uint32_t path) const override;
  double SavedShare(uint32_t location, uint32_t path) const override;
  double SavedShareIn(const approximation::Stay& stay) const override;

 private:
  double OwnShare(uint32_t location, uint32_t path, double hidden) const;

  const approximation::TracedRun& run_;
  const approximation::Change* also_;
  approximation::Densities hidden_;    // time of calls that were not logged, for each nanosecond of those around them
  approximation::Densities unlogged_;  // savings of those calls, for each nanosecond of the calls around them
  Savings saved_;
};

// Seconds of the call path's own work, by location, without calls that wait; from the summary.
std::vector<double> OwnSeconds(const approximation::TracedRun& run, uint32_t path);

}  // namespace epik::prediction

#endif  // EPIK_ANALYSIS_PREDICTION_ALTERED_H_
