// SPDX-License-Identifier: BSD-3-Clause
// Writes wait states as metrics of a profile, below the kinds of time that they are part of; and reads them back.
#ifndef EPIK_ANALYSIS_PATTERNS_WAIT_PROFILE_H_
#define EPIK_ANALYSIS_PATTERNS_WAIT_PROFILE_H_

#include <string>
#include <vector>

#include "analysis/patterns/patterns.h"
#include "analysis/replay/world.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

// Patterns found these sums. They know nothing of the graph and its costs.
struct WaitSums {
  double waited_s = 0;        // waiting for others. All of it is the cost of some cause
  double beyond_calls_s = 0;  // time by which waits are longer than their calls, if the trace has all of these calls
};

// Adds to a profile of the same call paths and locations, with a tree of time. The time of a wait is taken out of the
// kind of time of its call path and put where the pattern belongs: an MPI_Wait may be part of both point-to-point and
// collective communication. So all sums stay right. `has_calls`: the trace has all calls that wait (`msgs` lacks them).
WaitSums AddWaits(const Severities& severities, const replay::World& world, bool has_calls, archive::Profile* profile);

// Adds the counts beside waits (counts.def). A metric contains the counts of its parts.
void AddCounts(const Severities& severities, const replay::World& world, archive::Profile* profile);

// The metric with the number of instances of a pattern.
std::string InstancesOf(const std::string& pattern);

struct Wait {
  uint32_t pattern;  // index in AllPatterns()
  uint32_t location, path;
  double seconds;
  uint64_t instances;
};
// Whether the profile has any of their metrics, because AddWaits has made it, or because it is the summary of a run
// with EPK_WAITS.
bool HasWaits(const archive::Profile& profile);
// The waits by pattern, call path and location, of such a profile.
std::vector<Wait> WaitsOf(const archive::Profile& profile);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_WAIT_PROFILE_H_
