// SPDX-License-Identifier: BSD-3-Clause
// Where measuring went, by call path: what its own cost was, and what others waited for because of it (2005, figure 2).
// From the profile of a run and that of its approximation without measurement.
#ifndef EPIK_ANALYSIS_APPROXIMATION_PERTURBATION_H_
#define EPIK_ANALYSIS_APPROXIMATION_PERTURBATION_H_

#include <cstdint>
#include <vector>

#include "analysis/approximation/prices.h"

namespace epik::approximation {

// Seconds of all locations: measured - approximated = direct + induced.
struct PathPerturbation {
  uint32_t path = 0;  // of the measured profile
  double measured = 0, approximated = 0, direct = 0, induced = 0;
};

struct Perturbation {
  double measured = 0, direct = 0, induced = 0;
  std::vector<PathPerturbation> paths;  // what lost most comes first; those that lost nothing are left out
};

// Call paths are the same when they have the same names. What the approximation does not have, because the trace did
// not, counts with its caller. `prices`: of the measured run; `bound`: of the approximation. `traced` has
// the measured run's times as its trace has them: there, as in the approximation, the time of a call that the trace
// lacks belongs to its caller. Its call paths are those of `measured`; where the trace has all calls, it may be
// `measured`.
Perturbation PerturbationOf(const epitome::Profile& measured, const epitome::Profile& traced,
                            const epitome::Profile& approximated, const Prices& prices, Bound bound);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_PERTURBATION_H_
