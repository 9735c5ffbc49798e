// SPDX-License-Identifier: BSD-3-Clause
// Metrics that reports compute from others: ratios and rates, which do not add up. The formulas are built in, or come
// from `compute` lines (EPK_METRICS_SPEC).
#ifndef EPIK_ANALYSIS_DERIVED_H_
#define EPIK_ANALYSIS_DERIVED_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::analysis {

// The value of a metric at the place of evaluation, or nothing when the metric has no value there.
using ValueOf = std::function<std::optional<double>(std::string_view name)>;

// Evaluates numbers and names with + - * / and parentheses. A name may hold : _ . and, unless there are blanks around
// it, -. Returns nothing when a metric is missing, when the formula divides by zero, or when the text is no formula.
std::optional<double> Evaluate(std::string_view formula, const ValueOf& value);
// The names in a formula; returns false when the text is no formula.
bool NamesIn(std::string_view formula, std::vector<std::string>* names);

struct Derived {
  std::string name, unit, formula;
};

using archive::kComputed;

// All metrics that can be computed for this profile; those that it defines itself come first. "time" and "visits" are
// names, too.
std::vector<Derived> DerivedOf(const archive::Profile& profile);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_DERIVED_H_
