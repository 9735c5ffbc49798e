// SPDX-License-Identifier: BSD-3-Clause
// A run whose code takes other times: by call path and by location. Calls that are in the summary and not in the trace
// count with the call that they are in.
#ifndef EPIK_ANALYSIS_PREDICTION_ALTERED_H_
#define EPIK_ANALYSIS_PREDICTION_ALTERED_H_

#include <functional>
#include <vector>

#include "analysis/approximation/change.h"
#include "analysis/approximation/traced_run.h"

namespace epik::prediction {

// How much of the time of a call path at a location goes away: 0 nothing, 1 all of it, below 0 it takes longer.
using Savings = std::function<double(uint32_t location, uint32_t path)>;

class Altered : public approximation::Change {
 public:
  // The savings of `also`, unless it is null, come first. Both arguments outlive this object.
  Altered(const approximation::TracedRun& run, const approximation::Change* also);

  // Of each call path's own time. Calls of MPI and constructs of OpenMP that wait keep theirs.
  void Set(const Savings& saved);

  double SavedAtVisit(uint32_t location, uint32_t path) const override;
  double SavedShare(uint32_t location, uint32_t path) const override;

 private:
  const approximation::TracedRun& run_;
  const approximation::Change* also_;
  approximation::Densities hidden_;    // time of calls that were not logged, for each nanosecond of those around them
  approximation::Densities unlogged_;  // what is saved of that
  Savings saved_;
};

// Seconds that the call path takes by itself, by location, where no call of its own is a wait: of the summary.
std::vector<double> OwnSeconds(const approximation::TracedRun& run, uint32_t path);

}  // namespace epik::prediction

#endif  // EPIK_ANALYSIS_PREDICTION_ALTERED_H_
