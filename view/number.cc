// SPDX-License-Identifier: BSD-3-Clause
#include "view/number.h"

#include <cmath>
#include <cstdio>
#include <iterator>

namespace epik::view {
namespace {

constexpr double kNoCount = 1e15;  // doubles from here on are no exact counts

std::string Fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// 1.23, 12.3, 123. At these limits, rounding would make a fourth digit.
std::string ThreeDigits(double value) {
  const double size = std::fabs(value);
  return Fixed(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string Huge(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string SignedCount(double value) {
  return (value < 0 ? "-" : "") + Count(static_cast<uint64_t>(std::fabs(value) + 0.5));
}

// Shows no sign for zero, and no zero for a small value.
std::string OnePlace(double percent) {
  if (percent == 0) return "0.0";
  if (std::fabs(percent) < 0.05) return percent > 0 ? "<0.1" : ">-0.1";
  return Fixed(percent, 1);
}

}  // namespace

std::string Seconds(double seconds, bool unicode) {
  if (!std::isfinite(seconds)) return "-";
  const double size = std::fabs(seconds);
  if (size == 0) return "0 s";
  if (size >= 999.5) return (size < kNoCount ? SignedCount(seconds) : Huge(seconds)) + " s";
  if (size >= 0.9995) return ThreeDigits(seconds) + " s";
  if (size >= 0.9995e-3) return ThreeDigits(seconds * 1e3) + " ms";
  if (size >= 0.9995e-6) return ThreeDigits(seconds * 1e6) + (unicode ? " µs" : " us");
  return ThreeDigits(seconds * 1e9) + " ns";
}

std::string SecondsCell(double seconds, bool unicode) {
  std::string text = Seconds(seconds, unicode);
  if (text.ends_with(" s")) text += ' ';
  return text;
}

std::string Count(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string Bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (!std::isfinite(bytes)) return "-";
  size_t unit = 0;
  for (; std::fabs(bytes) >= 1023.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return (unit == 0 ? Fixed(bytes, 0) : ThreeDigits(bytes)) + " " + kUnits[unit];
}

std::string Scaled(double value, std::string_view unit, bool unicode) {
  struct Step {
    double factor;
    const char* prefix;
  };
  const Step steps[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, unicode ? "µ" : "u"}, {1e-9, "n"}};
  if (!std::isfinite(value)) return "-";
  const Step* step = std::begin(steps);
  // A smaller value would show as 1000 of the next smaller unit.
  while (step + 1 != std::end(steps) && std::fabs(value) / step->factor < 0.9995) ++step;
  if (value == 0) step = std::begin(steps) + 4;
  const std::string suffix = step->prefix + std::string(unit);
  return (value == 0 ? "0" : ThreeDigits(value / step->factor)) + (suffix.empty() ? "" : " " + suffix);
}

std::string Percent(double part, double whole) {
  const double percent = part / whole * 100;
  if (whole == 0 || !std::isfinite(percent) || std::fabs(percent) >= 1e9) return "-";
  return OnePlace(percent);
}

std::string Share(double share) {
  const std::string percent = Percent(share, 1);
  return percent == "-" ? percent : percent + " %";
}

std::string Ratio(double ratio) {
  if (!std::isfinite(ratio) || std::fabs(ratio) >= 1e9) return "-";
  return Fixed(ratio, 2);
}

std::string Plural(uint64_t count, std::string_view one, std::string_view many) {
  std::string text = Count(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one) + "s" : text.append(many);
}

std::string Amount(double value, std::string_view unit, bool unicode) {
  constexpr double kDecimalsShow = 999.5;
  if (!std::isfinite(value)) return "-";
  if (unit == "sec") return Seconds(value, unicode);
  if (unit == "bytes") return Bytes(value);
  if (unit == "bytes/sec") return Bytes(value) + "/s";
  if (std::fabs(value) >= kNoCount) return Huge(value);
  const bool whole = value == std::floor(value);
  return whole || std::fabs(value) >= kDecimalsShow ? SignedCount(value) : Huge(value);
}

}  // namespace epik::view
