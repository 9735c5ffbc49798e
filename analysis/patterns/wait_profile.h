// SPDX-License-Identifier: BSD-3-Clause
// Wait states as metrics of a profile, below the kinds of time they are part of; and back again.
#ifndef EPIK_ANALYSIS_PATTERNS_WAIT_PROFILE_H_
#define EPIK_ANALYSIS_PATTERNS_WAIT_PROFILE_H_

#include <string>
#include <vector>

#include "analysis/patterns/pattern.h"
#include "analysis/replay/world.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

// Patterns found these sums. They know nothing of the graph and its costs.
struct WaitSums {
  double waited_s = 0;        // for others. Each of it is the cost of something
  double beyond_calls_s = 0;  // of all waits: longer than their calls, where the trace has these as a whole
};

// Adds to a profile of the same call paths and locations, with a tree of time. What somebody waited is taken out of the
// kind of time that its call path has and put where the pattern belongs: an MPI_Wait may be part of both point-to-point
// and collective communication. So all sums still hold.
WaitSums AddWaits(const Severities& severities, const replay::World& world, epitome::Profile* profile);

// Adds what is counted beside waits (counts.def). A metric has what its parts have, too.
void AddCounts(const Severities& severities, const replay::World& world, epitome::Profile* profile);

// The metric that has the instances of a pattern.
std::string InstancesOf(const std::string& pattern);

struct Wait {
  uint32_t pattern;  // of AllPatterns()
  uint32_t location, path;
  double seconds;
  uint64_t instances;
};
// Whether it has any of their metrics: AddWaits has made it, or it is the summary of a run with EPK_WAITS.
bool HasWaits(const epitome::Profile& profile);
// By pattern, call path and location, of such a profile.
std::vector<Wait> WaitsOf(const epitome::Profile& profile);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_WAIT_PROFILE_H_
