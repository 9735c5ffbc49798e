// SPDX-License-Identifier: BSD-3-Clause
// Knows the wait states of each kind of cause. A wait state says where a thread waited; its cause says why.
#ifndef EPIK_ANALYSIS_PATTERNS_STATES_OF_CAUSES_H_
#define EPIK_ANALYSIS_PATTERNS_STATES_OF_CAUSES_H_

#include <cstdint>
#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/patterns/severities.h"

namespace epik::patterns {

// The numbers of the wait states that may have such waits. The state comes first that is named after them.
std::vector<uint32_t> StatesOf(causes::Class kind);

// The kinds of waits that a wait state may have, those that it is named after first.
std::vector<causes::Class> KindsOf(uint32_t state);

// The wait state that a group of waits has, at its call path and for its thread; null if the analysis found none.
const Severities::Row* StateOf(const Severities& severities, const causes::Group& waits);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_STATES_OF_CAUSES_H_
