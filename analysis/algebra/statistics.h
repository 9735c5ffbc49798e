// SPDX-License-Identifier: BSD-3-Clause
// Whether two sets of runs differ by more than runs differ among themselves.
#ifndef EPIK_ANALYSIS_ALGEBRA_STATISTICS_H_
#define EPIK_ANALYSIS_ALGEBRA_STATISTICS_H_

#include <cstddef>
#include <vector>

namespace epik::algebra {

struct Summary {
  size_t n = 0;
  double mean = 0;
  double deviation = 0;  // of the sample, with n - 1; 0 for one value
};
Summary Summarize(const std::vector<double>& values);

// How probable so large a difference of means is when there is none: Welch's t-test, two-sided. Where one side has a
// single value, the deviation of the other is taken for both. 1 when each side has one: then nothing is known.
double Probability(const Summary& a, const Summary& b);

// Which of many probabilities are significant when at most `rate` of those that are called so may be wrong: Benjamini
// and Hochberg.
std::vector<bool> Significant(const std::vector<double>& probabilities, double rate);

// Of Student's t with that many degrees of freedom, both sides together.
double StudentTail(double t, double degrees);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_STATISTICS_H_
