// SPDX-License-Identifier: BSD-3-Clause
// Cuts a part out of a call tree: the subtrees of some regions, without the subtrees of others.
#ifndef EPIK_ANALYSIS_ALGEBRA_CUT_H_
#define EPIK_ANALYSIS_ALGEBRA_CUT_H_

#include <string>
#include <vector>

#include "analysis/algebra/experiment.h"

namespace epik::algebra {

// Names of regions; * and ? match.
struct Cuts {
  std::vector<std::string> roots;   // their outermost call paths become roots; empty: all roots stay
  std::vector<std::string> prunes;  // their call paths are removed with all callees; the caller gets their values
};

// Totals do not change: a caller gets the counts and times of subtrees pruned below it, but not their minima and
// maxima. The values of a pruned root are lost. Returns null and sets *error when a name matches no region, or when
// nothing stays.
Operand Cut(Operand from, const Cuts& cuts, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_CUT_H_
