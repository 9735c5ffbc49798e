// SPDX-License-Identifier: BSD-3-Clause
// Makes findings from the numbers that the analyses of a graph give.
#ifndef EPIK_ANALYSIS_FINDINGS_WORDS_H_
#define EPIK_ANALYSIS_FINDINGS_WORDS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/critical/profile.h"
#include "analysis/critical/segments.h"
#include "analysis/findings/differences.h"
#include "analysis/findings/findings.h"
#include "analysis/graph/mixtures.h"
#include "analysis/replay/world.h"
#include "archive/profile/profile.h"

namespace epik::findings {

// Returns the rank and thread of a location.
Who WhoIs(const replay::World& world, const archive::Profile& profile, uint32_t location);

// The wait state to which waits belong.
struct WaitState {
  std::string name;        // its unique name; "": not known
  uint64_t instances = 0;  // how many calls waited so
};
using StateOf = std::function<WaitState(const causes::Group& waits)>;

// `profile` has the call paths of the world; `counted` tells which counters differed in them; `mixtures` are those that
// the delays were found with.
void TellCauses(const causes::Delays& delays, const replay::World& world, const archive::Profile& profile,
                const Counted& counted, const graph::Mixtures& mixtures, const StateOf& state_of, Findings* findings);
void TellCritical(const critical::Path& path, const std::vector<critical::Segment>& segments,
                  const replay::World& world, const archive::Profile& profile, Findings* findings);
// The call paths of the critical path with their exact times, also those that the trace lacks.
void TellPlaces(const std::vector<critical::ProfileRow>& rows, const replay::World& world,
                const archive::Profile& profile, Findings* findings);

}  // namespace epik::findings

#endif  // EPIK_ANALYSIS_FINDINGS_WORDS_H_
