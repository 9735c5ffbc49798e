// SPDX-License-Identifier: BSD-3-Clause
// A part of a call tree: what lies below some regions, without what lies below others.
#ifndef EPIK_ANALYSIS_ALGEBRA_CUT_H_
#define EPIK_ANALYSIS_ALGEBRA_CUT_H_

#include <string>
#include <vector>

#include "analysis/algebra/experiment.h"

namespace epik::algebra {

// Names of regions; * and ? match.
struct Cuts {
  std::vector<std::string> roots;   // their outermost call paths become roots; none: all stays
  std::vector<std::string> prunes;  // their call paths go, with all below; their values stay with the caller
};

// Sums of what stays do not change: a caller takes over the counts and times of what is pruned below it, but not the
// minima and maxima. A root that is pruned takes its values along. Null and *error when a name is of no region, or when
// nothing stays.
Operand Cut(Operand from, const Cuts& cuts, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_CUT_H_
