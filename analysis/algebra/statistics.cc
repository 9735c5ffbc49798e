// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace epik::algebra {
namespace {

// The continued fraction of the incomplete beta function (Lentz).
double BetaFraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= c * d;
    if (std::fabs(c * d - 1) < 1e-14) break;
  }
  return result;
}

double IncompleteBeta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double factor =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return factor * BetaFraction(x, a, b) / a;
  return 1 - factor * BetaFraction(1 - x, b, a) / b;
}

}  // namespace

Summary Summarize(const std::vector<double>& values) {
  Summary summary;
  double squares = 0;
  for (const double value : values) {  // Welford
    ++summary.n;
    const double off = value - summary.mean;
    summary.mean += off / static_cast<double>(summary.n);
    squares += off * (value - summary.mean);
  }
  if (summary.n > 1) summary.deviation = std::sqrt(squares / static_cast<double>(summary.n - 1));
  return summary;
}

double StudentTail(double t, double degrees) { return IncompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5); }

double Probability(const Summary& a, const Summary& b) {
  if (a.n == 0 || b.n == 0 || a.n + b.n < 3) return 1;
  const double difference = std::fabs(a.mean - b.mean);
  const auto n_a = static_cast<double>(a.n), n_b = static_cast<double>(b.n);
  double variance = 0, degrees = 0;  // of the difference
  if (a.n == 1 || b.n == 1) {
    const double deviation = std::max(a.deviation, b.deviation);
    variance = deviation * deviation * (1 / n_a + 1 / n_b);
    degrees = n_a + n_b - 2;
  } else {
    const double v_a = a.deviation * a.deviation / n_a, v_b = b.deviation * b.deviation / n_b;
    variance = v_a + v_b;
    degrees = variance * variance / (v_a * v_a / (n_a - 1) + v_b * v_b / (n_b - 1));
  }
  // Counts are often the same in every run; then any difference is certain.
  if (!(variance > 0) || !std::isfinite(degrees)) return difference > 0 ? 0 : 1;
  return StudentTail(difference / std::sqrt(variance), degrees);
}

std::vector<bool> Significant(const std::vector<double>& probabilities, double rate) {
  std::vector<size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return probabilities[a] < probabilities[b]; });
  size_t accepted = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double limit = rate * static_cast<double>(i + 1) / static_cast<double>(order.size());
    if (probabilities[order[i]] <= limit) accepted = i + 1;
  }
  std::vector<bool> significant(order.size());
  for (size_t i = 0; i < accepted; ++i) significant[order[i]] = true;
  return significant;
}

}  // namespace epik::algebra
