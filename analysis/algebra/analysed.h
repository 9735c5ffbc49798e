// SPDX-License-Identifier: BSD-3-Clause
// Archives as `epk analyze` left them: metrics of waits and their causes beside those of the summary.
#ifndef EPIK_ANALYSIS_ALGEBRA_ANALYSED_H_
#define EPIK_ANALYSIS_ALGEBRA_ANALYSED_H_

#include <string>

#include "analysis/algebra/compare.h"
#include "analysis/algebra/store.h"

namespace epik::algebra {

bool WereAnalysed(const Inputs& inputs);  // whether all of them were
bool WasAnalysed(const archive::Archive& archive);

// Adds to each operand the metrics that only its analysis has. REQUIRES: WereAnalysed. Returns false and sets *error
// when an archive cannot be read.
bool AddAnalyses(Inputs* inputs, std::string* error);

// Compares the totals of those wait states, and of their causes, that at least one run has.
bool CompareWaits(Runs* runs, Comparison* comparison, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_ANALYSED_H_
