// SPDX-License-Identifier: BSD-3-Clause
// Waiting by the values of phases and parameters: whether it grows from iteration to iteration.
#ifndef EPIK_ANALYSIS_PATTERNS_ITERATIONS_H_
#define EPIK_ANALYSIS_PATTERNS_ITERATIONS_H_

#include <vector>

#include "analysis/findings/distribution.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

// Of a profile that AddWaits has made. A row for each value, or for several that follow each other: 64 at most. Those
// with most waiting first, 16 at most.
std::vector<findings::Iterations> IterationsOf(const epitome::Profile& profile);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_ITERATIONS_H_
