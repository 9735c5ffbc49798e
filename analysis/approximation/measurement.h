// SPDX-License-Identifier: BSD-3-Clause
// The run without the time that measuring added: the price of each visit, and all time of the measurement's own region.
#ifndef EPIK_ANALYSIS_APPROXIMATION_MEASUREMENT_H_
#define EPIK_ANALYSIS_APPROXIMATION_MEASUREMENT_H_

#include "analysis/approximation/change.h"
#include "analysis/approximation/prices.h"
#include "analysis/approximation/unlogged.h"

namespace epik::approximation {

class WithoutMeasurement : public Change {
 public:
  // `unlogged` may be null: then the trace has every call that was measured.
  WithoutMeasurement(const Prices* prices, Bound bound, const archive::Profile& profile, const Unlogged* unlogged);

  double SavedAtVisit(uint32_t location, uint32_t path) const override;
  double SavedShare(uint32_t location, uint32_t path) const override;
  double SavedShareIn(const Stay& stay) const override;

 private:
  const Prices* prices_;
  Bound bound_;
  Densities unlogged_;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_MEASUREMENT_H_
