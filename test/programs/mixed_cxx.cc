// SPDX-License-Identifier: BSD-3-Clause
// The C++ part of mixed.c.
#include <vector>

extern "C" double sum_of_squares(const double* values, int count);  // Fortran

namespace mixed {

__attribute__((noinline)) std::vector<double> Numbers(int n) {
  std::vector<double> numbers;
  for (int i = 1; i <= n; ++i) numbers.push_back(i);
  return numbers;
}

}  // namespace mixed

extern "C" double CxxMean(int n) {
  const std::vector<double> numbers = mixed::Numbers(n);
  return sum_of_squares(numbers.data(), n) / n;
}
