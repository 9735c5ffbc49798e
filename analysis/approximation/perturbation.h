// SPDX-License-Identifier: BSD-3-Clause
// Tells where the time of measuring went, by call path: the cost of measuring itself, and the waits of others that this
// cost caused (2005, figure 2). Computed from the profile of a run and that of its approximation without measurement.
#ifndef EPIK_ANALYSIS_APPROXIMATION_PERTURBATION_H_
#define EPIK_ANALYSIS_APPROXIMATION_PERTURBATION_H_

#include <cstdint>
#include <vector>

#include "analysis/approximation/prices.h"

namespace epik::approximation {

// Seconds over all locations: measured - approximated = direct + induced.
struct PathPerturbation {
  uint32_t path = 0;  // of the measured profile
  double measured = 0, approximated = 0, direct = 0, induced = 0;
};

struct Perturbation {
  double measured = 0, direct = 0, induced = 0;
  std::vector<PathPerturbation> paths;  // the largest loss first; without those that lost nothing
};

// Call paths are the same when they have the same names. When the approximation lacks a call path, because the trace
// did, its time counts with its caller. `prices` are those of the measured run, and `bound` is that of the
// approximation. `traced` has the times of the measured run as its trace has them: in both, the time of a call that the
// trace lacks belongs to its caller. Its call paths are those of `measured`; if the trace has all calls, `traced` may
// be `measured`.
Perturbation PerturbationOf(const archive::Profile& measured, const archive::Profile& traced,
                            const archive::Profile& approximated, const Prices& prices, Bound bound);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_PERTURBATION_H_
