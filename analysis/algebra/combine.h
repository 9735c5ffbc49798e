// SPDX-License-Identifier: BSD-3-Clause
// The operators of the algebra, cell by cell over the union of their operands (unite.h). A value that an operand lacks
// is 0; for minima and maxima it is "no value", which no operator counts.
#ifndef EPIK_ANALYSIS_ALGEBRA_COMBINE_H_
#define EPIK_ANALYSIS_ALGEBRA_COMBINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "analysis/algebra/experiment.h"

namespace epik::algebra {

enum class Operation : uint8_t {
  kDifference,  // the second less the first; counts become real numbers, since they may be negative
  kMerge,       // every metric that an operand has, from the first operand that has it
  kMean,        // over the operands that have the metric; counts are rounded to whole numbers
  kMin,         // of exclusive values, call path by call path
  kMax,
};

std::string_view OperationName(Operation operation);  // diff merge mean min max

// notes (may be null): disagreements of the operands. Returns null and sets *error when nothing is left to compute
// with.
Operand Combine(Operation operation, std::vector<Operand> operands, std::vector<std::string>* notes,
                std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_COMBINE_H_
