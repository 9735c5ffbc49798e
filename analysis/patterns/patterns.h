// SPDX-License-Identifier: BSD-3-Clause
// All patterns, in the order of patterns.def.
#ifndef EPIK_ANALYSIS_PATTERNS_PATTERNS_H_
#define EPIK_ANALYSIS_PATTERNS_PATTERNS_H_

#include <memory>
#include <vector>

#include "analysis/patterns/pattern.h"
#include "analysis/patterns/severities.h"

namespace epik::patterns {

const std::vector<const PatternInfo*>& AllPatterns();
std::vector<std::unique_ptr<Pattern>> MakePatterns(Severities* severities);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_PATTERNS_H_
