// SPDX-License-Identifier: BSD-3-Clause
// Archives as `epk analyze` left them: metrics of waits and their causes beside those of the summary.
#ifndef EPIK_ANALYSIS_ALGEBRA_ANALYSED_H_
#define EPIK_ANALYSIS_ALGEBRA_ANALYSED_H_

#include <string>

#include "analysis/algebra/compare.h"
#include "analysis/algebra/store.h"

namespace epik::algebra {

bool WereAnalysed(const Inputs& inputs);  // all of them
bool WasAnalysed(const archive::Archive& archive);

// Adds to each operand the metrics that only its analysis has. REQUIRES: WereAnalysed. False and *error when one cannot
// be read.
bool AddAnalyses(Inputs* inputs, std::string* error);

// The totals of wait states and of their causes that some run has.
bool CompareWaits(Runs* runs, Comparison* comparison, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_ANALYSED_H_
