// SPDX-License-Identifier: BSD-3-Clause
// Conditions that make a comparison fail in CI: "time:solve > 5%".
#ifndef EPIK_ANALYSIS_ALGEBRA_CONDITION_H_
#define EPIK_ANALYSIS_ALGEBRA_CONDITION_H_

#include <string>

#include "analysis/algebra/compare.h"

namespace epik::algebra {

struct Condition {
  enum class Sign : uint8_t { kMore, kAtLeast, kLess, kAtMost };

  std::string text;    // as given
  std::string metric;  // or "wall"
  std::string region;  // a name or pattern; empty: all of the program
  Sign sign = Sign::kMore;
  double limit = 0;  // percent, or in the unit of the metric
  bool percent = false;
  std::string unit;  // given with the limit: s, ms, us; empty: the metric's own
};

// METRIC[:REGION] > VALUE[%|s|ms|us]. Names of metrics may hold double colons, and names of regions colons, blanks and
// signs: the last sign counts.
bool ParseCondition(const std::string& text, Condition* condition, std::string* error);

struct Outcome {
  Condition condition;
  std::string unit;  // of the metric
  Change change;     // of the region with its callees
  bool fired = false;
  bool within_noise = false;  // the condition would have fired, but the runs of a side differ by as much
};

// Checks that the runs have the metric and the region; if not, returns false and sets *error.
bool CheckNames(const Condition& condition, const Runs& runs, std::string* error);
// REQUIRES: CheckNames. A change that is not significant (5 %) when there are several runs does not fire. Nor does one
// of unknown figures: the caller refuses them (outcome->change.unknown).
bool Evaluate(const Condition& condition, Runs* runs, Outcome* outcome, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_CONDITION_H_
