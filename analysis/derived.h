// SPDX-License-Identifier: BSD-3-Clause
// Metrics that are computed from others when they are looked at: ratios and rates, which do not add up. Those we know,
// and those of `compute` lines (EPK_METRICS_SPEC).
#ifndef EPIK_ANALYSIS_DERIVED_H_
#define EPIK_ANALYSIS_DERIVED_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::analysis {

// The value of a metric, where the formula is evaluated; nothing: it is not there.
using ValueOf = std::function<std::optional<double>(std::string_view name)>;

// Numbers and names with + - * / and parentheses. A name may hold : _ . and, unless there are blanks around it, -.
// Nothing: a metric is missing, a division by zero, or it is no formula.
std::optional<double> Evaluate(std::string_view formula, const ValueOf& value);
// The names in it; false: it is no formula.
bool NamesIn(std::string_view formula, std::vector<std::string>* names);

struct Derived {
  std::string name, unit, formula;
};

using epitome::kComputed;

// All that can be computed of this profile: those it defines itself first. "time" and "visits" are names, too.
std::vector<Derived> DerivedOf(const epitome::Profile& profile);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_DERIVED_H_
