// SPDX-License-Identifier: BSD-3-Clause
// Writes text as JSON.
#ifndef EPIK_REPORT_JSON_STRING_H_
#define EPIK_REPORT_JSON_STRING_H_

#include <string>
#include <string_view>

namespace epik::report {

// Returns a JSON string literal. Bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

}  // namespace epik::report

#endif  // EPIK_REPORT_JSON_STRING_H_
