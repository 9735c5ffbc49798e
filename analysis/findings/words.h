// SPDX-License-Identifier: BSD-3-Clause
// Findings from what the analyses of a graph say in numbers.
#ifndef EPIK_ANALYSIS_FINDINGS_WORDS_H_
#define EPIK_ANALYSIS_FINDINGS_WORDS_H_

#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/critical/segments.h"
#include "analysis/findings/differences.h"
#include "analysis/findings/findings.h"
#include "analysis/replay/world.h"
#include "archive/profile/profile.h"

namespace epik::findings {

// `profile` has the call paths of the world; `counted` tells what differed in them.
void TellCauses(const causes::Delays& delays, const replay::World& world, const epitome::Profile& profile,
                const Counted& counted, Findings* findings);
void TellCritical(const critical::Path& path, const std::vector<critical::Segment>& segments,
                  const replay::World& world, const epitome::Profile& profile, Findings* findings);

}  // namespace epik::findings

#endif  // EPIK_ANALYSIS_FINDINGS_WORDS_H_
