// SPDX-License-Identifier: BSD-3-Clause
#include "config/number.h"

#include <charconv>
#include <limits>

namespace epik::config {
namespace {

// If several suffixes have the same factor, the first is written. The largest factors come first.
constexpr Unit kSizeUnits[] = {
    {"T", 1ull << 40},
    {"tib", 1ull << 40},
    {"tb", 1'000'000'000'000},
    {"G", 1ull << 30},
    {"gib", 1ull << 30},
    {"gb", 1'000'000'000},
    {"M", 1ull << 20},
    {"mib", 1ull << 20},
    {"mb", 1'000'000},
    {"k", 1ull << 10},
    {"kib", 1ull << 10},
    {"kb", 1'000},
    {"b", 1},
    {"", 1},
};

constexpr Unit kDurationUnits[] = {
    {"min", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"\u00b5s", 1'000}, {"ns", 1},
};

// mantissa / 10^decimals × factor, rounded down; a value above zero does not become zero.
bool Scale(uint64_t mantissa, int decimals, uint64_t factor, uint64_t limit, uint64_t* value) {
  unsigned __int128 scaled = static_cast<unsigned __int128>(mantissa) * factor;
  for (int i = 0; i < decimals; ++i) scaled /= 10;
  if (scaled > limit || (scaled == 0 && mantissa != 0)) return false;
  *value = static_cast<uint64_t>(scaled);
  return true;
}

template <class T>
bool ParseWhole(std::string_view text, T* value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *value);
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

}  // namespace

bool ParseInteger(std::string_view text, int64_t* value) { return ParseWhole(text, value); }
bool ParseUnsigned(std::string_view text, uint64_t* value) { return ParseWhole(text, value); }

bool ParseDecimal(std::string_view text, uint64_t* mantissa, int* decimals, std::string_view* rest) {
  size_t digits = 0;
  bool point = false;
  *mantissa = 0;
  *decimals = 0;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point && digits > 0) {
      point = true;
      continue;
    }
    if (!IsDigit(text[i])) break;
    if (__builtin_mul_overflow(*mantissa, uint64_t{10}, mantissa) ||
        __builtin_add_overflow(*mantissa, static_cast<uint64_t>(text[i] - '0'), mantissa)) {
      return false;
    }
    ++digits;
    if (point && ++*decimals > kMaxDecimals) return false;
  }
  if (digits == 0 || (point && *decimals == 0)) return false;
  *rest = text.substr(i);
  return true;
}

bool ParseSize(std::string_view text, uint64_t* bytes) {
  uint64_t mantissa;
  int decimals;
  std::string_view rest;
  if (!ParseDecimal(text, &mantissa, &decimals, &rest)) return false;
  rest = Trim(rest);
  // Sizes are passed to functions that take signed numbers; half of the range is plenty.
  constexpr uint64_t kLimit = std::numeric_limits<int64_t>::max();
  for (const Unit& unit : kSizeUnits) {
    if (SameWord(rest, unit.suffix)) return Scale(mantissa, decimals, unit.factor, kLimit, bytes);
  }
  return false;
}

std::string FormatSize(uint64_t bytes) {
  for (const Unit& unit : kSizeUnits) {
    const bool binary = unit.suffix.size() == 1 && unit.factor > 1;
    if (binary && bytes != 0 && bytes % unit.factor == 0) {
      return std::to_string(bytes / unit.factor) + std::string(unit.suffix);
    }
  }
  return std::to_string(bytes);
}

bool ParseDuration(std::string_view text, int64_t* ns) {
  uint64_t mantissa;
  int decimals;
  std::string_view rest;
  if (!ParseDecimal(text, &mantissa, &decimals, &rest)) return false;
  rest = Trim(rest);
  if (rest.empty() && mantissa == 0) {
    *ns = 0;
    return true;
  }
  for (const Unit& unit : kDurationUnits) {
    if (rest != unit.suffix) continue;
    uint64_t scaled;
    if (!Scale(mantissa, decimals, unit.factor, std::numeric_limits<int64_t>::max(), &scaled)) return false;
    *ns = static_cast<int64_t>(scaled);
    return true;
  }
  return false;
}

std::string FormatDuration(int64_t ns) {
  for (const Unit& unit : kDurationUnits) {
    const int64_t factor = static_cast<int64_t>(unit.factor);
    if (ns != 0 && ns % factor == 0) return std::to_string(ns / factor) + std::string(unit.suffix);
  }
  return "0";
}

}  // namespace epik::config
