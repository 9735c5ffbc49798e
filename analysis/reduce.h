// SPDX-License-Identifier: BSD-3-Clause
// Applies TAU's rules for functions that should not be measured:
//
//   numcalls > 1000000 & usecs/call < 10    # one rule a line, or several with | between them
//   USR: percent < 1                        # only regions of this class
#ifndef EPIK_ANALYSIS_REDUCE_H_
#define EPIK_ANALYSIS_REDUCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/score.h"
#include "archive/profile/profile.h"
#include "config/filter.h"

namespace epik::analysis {

enum class ReduceField : uint8_t {
  kCalls,       // numcalls
  kSubroutine,  // numsubrs: calls that it made
  kExclusive,   // usec, excltime: microseconds
  kInclusive,   // cumusec, inclusive: microseconds
  kPercent,     // inclusive time, of the location's time
  kPerCall,     // usecs/call: inclusive microseconds
  kCounter      // count, totalcount, counts/call, which profiles of EPIK lack
};

struct ReduceCondition {
  enum class Is : uint8_t { kLess, kMore, kEqual, kNotEqual, kAtMost, kAtLeast };
  ReduceField field;
  Is is;
  double number;
};

// A rule: all its conditions must hold on the thread that calls the region most often.
struct ReduceRule {
  std::string group;  // MPI OMP COM USR API; empty: any function
  std::vector<ReduceCondition> conditions;
  int line = 0;
  std::string text;
};

// Rules with errors are reported and left out; the others are used.
std::vector<ReduceRule> ParseRules(std::string_view text, std::vector<config::FilterProblem>* problems);

// For each region, the number of the first rule that excludes it, or kNone. Regions of MPI and OpenMP are excluded only
// when a rule names their class.
std::vector<uint32_t> ApplyRules(const archive::Profile& profile, const std::vector<RegionCosts>& costs,
                                 const std::vector<ReduceRule>& rules);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_REDUCE_H_
