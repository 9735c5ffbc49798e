// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/elementary.h"

#include <bit>
#include <cstdint>
#include <numbers>

namespace epik::archive {

namespace {

constexpr int kMantissaBits = 52, kBias = 1023;
constexpr uint64_t kMantissa = (uint64_t{1} << kMantissaBits) - 1;

}  // namespace

double Log2(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  auto exponent = static_cast<int>(bits >> kMantissaBits) - kBias;
  auto part = std::bit_cast<double>((bits & kMantissa) | uint64_t{kBias} << kMantissaBits);
  if (part > std::numbers::sqrt2) {
    part /= 2;
    ++exponent;
  }
  // ln(part) = 2 artanh(t), and t is at most 0.172 on either side of 0.
  constexpr int kTerms = 9;
  const double t = (part - 1) / (part + 1);
  double sum = 0;
  for (int n = kTerms; n-- > 0;) sum = sum * t * t + 1.0 / (2 * n + 1);
  return exponent + 2 * std::numbers::log2e * t * sum;
}

double Decay(double value) {
  constexpr double kNothing = 700;
  if (!(value < kNothing)) return 0;
  // Computes a short series for a small part, and squares it until it is the whole.
  int squares = 0;
  for (; value > 1.0 / 64; value /= 2) ++squares;
  constexpr int kTerms = 7;
  double decay = 1;
  for (int n = kTerms; n > 0; --n) decay = 1 - value / n * decay;
  for (; squares > 0; --squares) decay *= decay;
  return decay;
}

}  // namespace epik::archive
