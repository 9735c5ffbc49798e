// SPDX-License-Identifier: BSD-3-Clause
// Numbers with units, as people write them ("1.5G", "10us"): exact integer arithmetic, independent of the locale,
// because the program around us may have set any.
#ifndef EPIK_CONFIG_NUMBER_H_
#define EPIK_CONFIG_NUMBER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "config/words.h"

namespace epik::config {

struct Unit {
  std::string_view suffix;
  uint64_t factor;
};

// Reads all of `text` as a number, without blanks; false when it is no number or does not fit.
bool ParseInteger(std::string_view text, int64_t* value);
bool ParseUnsigned(std::string_view text, uint64_t* value);

inline constexpr int kMaxDecimals = 9;

// digits[.digits] in front of `*rest`, as mantissa / 10^decimals; at most nine decimals.
bool ParseDecimal(std::string_view text, uint64_t* mantissa, int* decimals, std::string_view* rest);

// Bytes: bare, or with k M G T, KiB MiB GiB TiB (of 1024), kB MB GB TB (of 1000), upper or lower case.
bool ParseSize(std::string_view text, uint64_t* bytes);
std::string FormatSize(uint64_t bytes);

// Nanoseconds: with ns, us, ms, s or min; only 0 goes without.
bool ParseDuration(std::string_view text, int64_t* ns);
std::string FormatDuration(int64_t ns);

}  // namespace epik::config

#endif  // EPIK_CONFIG_NUMBER_H_
