// SPDX-License-Identifier: BSD-3-Clause
// The distribution of waits as findings: over the run, by iteration, and by length.
#ifndef EPIK_ANALYSIS_PATTERNS_TELL_DISTRIBUTION_H_
#define EPIK_ANALYSIS_PATTERNS_TELL_DISTRIBUTION_H_

#include "analysis/findings/distribution.h"
#include "analysis/patterns/severities.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

// `profile` has the waits and the call paths of `severities`.
findings::Distribution TellDistribution(const Severities& severities, const archive::Profile& profile);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TELL_DISTRIBUTION_H_
