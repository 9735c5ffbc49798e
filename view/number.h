// SPDX-License-Identifier: BSD-3-Clause
// Figures for people: three significant digits and a unit. Programs get JSON and CSV instead. NaN and infinity are "-".
// The page of `epk report --html` writes the same figures: view/cases.json tests both.
#ifndef EPIK_VIEW_NUMBER_H_
#define EPIK_VIEW_NUMBER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace epik::view {

// `unicode`: "µs" if the reader's terminal has it, otherwise "us".
std::string Seconds(double seconds, bool unicode = true);      // 1.23 s, 45.1 ms, 6.00 µs, 310 ns, 12,345 s
std::string SecondsCell(double seconds, bool unicode = true);  // the same; units are aligned when right-justified
std::string Count(uint64_t count);                             // 1,234,567
std::string Bytes(double bytes);                               // 512 B, 1.21 MiB
std::string Scaled(double value, std::string_view unit, bool unicode = true);  // 2.45 GHz; 1.20 M without a unit
std::string Percent(double part, double whole);  // 37.1, or <0.1; "-" when the whole is zero
std::string Share(double share);                 // 0.371 is "37.1 %"
std::string Ratio(double ratio);                 // 1.07
std::string Plural(uint64_t count, std::string_view one, std::string_view many = "");  // 1 rank, 2 ranks

// A value of a metric: durations ("sec") and sizes ("bytes", "bytes/sec") as above, all others as a count. Small values
// that are not whole have decimals.
std::string Amount(double value, std::string_view unit, bool unicode = true);

}  // namespace epik::view

#endif  // EPIK_VIEW_NUMBER_H_
