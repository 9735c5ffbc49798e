// SPDX-License-Identifier: BSD-3-Clause
// Waiting by the values of phases and parameters: whether it grows from iteration to iteration.
#ifndef EPIK_ANALYSIS_PATTERNS_ITERATIONS_H_
#define EPIK_ANALYSIS_PATTERNS_ITERATIONS_H_

#include <vector>

#include "analysis/findings/distribution.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

// Takes a profile that AddWaits has made. A row stands for a value, or for several consecutive ones; a loop has at most
// 64 rows. Returns the loops with most waiting first, 16 at most.
std::vector<findings::Iterations> IterationsOf(const archive::Profile& profile);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_ITERATIONS_H_
