// SPDX-License-Identifier: BSD-3-Clause
// Tests whether two sets of runs differ by more than runs differ among themselves.
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

// The probability that chance alone makes such a difference of means: Welch's t-test, two-sided. If one side has a
// single value, the deviation of the other side counts for both. Returns 1 when each side has one value, because
// nothing is known then.
double Probability(const Summary& a, const Summary& b);

// Marks the significant ones among many probabilities, so that at most the share `rate` of the marks is expected to be
// wrong: Benjamini and Hochberg.
std::vector<bool> Significant(const std::vector<double>& probabilities, double rate);

// The two-sided tail probability of Student's t with that many degrees of freedom.
double StudentTail(double t, double degrees);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_STATISTICS_H_
