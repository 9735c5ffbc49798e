// SPDX-License-Identifier: BSD-3-Clause
// Numbers for programs: the shortest text that gives the same number when it is read.
#ifndef EPIK_VIEW_EXACT_H_
#define EPIK_VIEW_EXACT_H_

#include <string>
#include <string_view>

namespace epik::view {

// Formats differ in how they write infinity and what is no number: `otherwise` is written for both. JSON has "null".
std::string RoundTrip(double value, std::string_view otherwise);
inline std::string JsonNumber(double value) { return RoundTrip(value, "null"); }

}  // namespace epik::view

#endif  // EPIK_VIEW_EXACT_H_
