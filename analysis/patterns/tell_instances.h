// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_ANALYSIS_PATTERNS_TELL_INSTANCES_H_
#define EPIK_ANALYSIS_PATTERNS_TELL_INSTANCES_H_

#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/graph/graph.h"
#include "analysis/patterns/severities.h"
#include "analysis/replay/world.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

// The longest instance of each wait state and call path. The graph tells whom it waited for.
std::vector<findings::Instance> TellInstances(const Severities& severities, const graph::Graph& graph,
                                              const replay::World& world, const archive::Profile& profile);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TELL_INSTANCES_H_
