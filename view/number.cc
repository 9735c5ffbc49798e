// SPDX-License-Identifier: BSD-3-Clause
#include "view/number.h"

#include <cmath>
#include <cstdio>
#include <iterator>

namespace epik::view {
namespace {

std::string Fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Three digits that matter: 1.23, 12.3, 123. The limits are where rounding would make a fourth.
std::string ThreeDigits(double value) {
  if (value < 9.995) return Fixed(value, 2);
  return Fixed(value, value < 99.95 ? 1 : 0);
}

struct Step {
  double factor;
  const char* prefix;
};

// Not numbers at all, and numbers no table has room for: shown, not formatted.
bool Odd(double value, std::string* text) {
  if (std::isnan(value)) return *text = "-", true;
  if (std::isinf(value)) return *text = value > 0 ? "inf" : "-inf", true;
  return false;
}

}  // namespace

std::string Count(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

std::string Scaled(double value, const char* unit) {
  constexpr Step kSteps[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                             {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  std::string text;
  if (Odd(value, &text)) return text;
  if (value < 0) return "-" + Scaled(-value, unit);
  const std::string tail = unit;
  if (value == 0) return tail.empty() ? "0" : "0 " + tail;
  Step step = kSteps[std::size(kSteps) - 1];
  for (const Step& each : kSteps) {
    if (value / each.factor < 0.9995) continue;  // would show as 1000 of the next smaller
    step = each;
    break;
  }
  const std::string suffix = step.prefix + tail;
  return ThreeDigits(value / step.factor) + (suffix.empty() ? "" : " " + suffix);
}

std::string Seconds(double seconds) {
  std::string text;
  if (Odd(seconds, &text)) return text;
  if (seconds < 0) return "-" + Seconds(-seconds);
  if (seconds >= 999.5)
    return seconds < 1e15 ? Count(static_cast<uint64_t>(std::llround(seconds))) + " s" : Scaled(seconds, "s");
  if (seconds > 0 && seconds < 9.995e-9) return Fixed(seconds * 1e9, 1) + " ns";
  return Scaled(seconds, "s");
}

std::string Bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::string text;
  if (Odd(bytes, &text)) return text;
  if (bytes < 0) return "-" + Bytes(-bytes);
  size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : 1;
  return Fixed(bytes, decimals) + " " + kUnits[unit];
}

std::string Percent(double share) {
  std::string text;
  if (Odd(share, &text)) return text;
  const double percent = share * 100;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  if (percent < 0 && percent > -0.05) return "0.0 %";
  return Fixed(percent, 1) + " %";
}

}  // namespace epik::view
