// SPDX-License-Identifier: BSD-3-Clause
// Numbers for people: three digits that matter and a unit. Machines read CSV and JSON instead.
#ifndef EPIK_VIEW_NUMBER_H_
#define EPIK_VIEW_NUMBER_H_

#include <cstdint>
#include <string>

namespace epik::view {

std::string Count(uint64_t count);                   // "1 204 388"
std::string Seconds(double seconds);                 // "1.23 s", "45.1 ms", "310 ns", "12 345 s"
std::string Bytes(double bytes);                     // "512 B", "1.2 MiB"
std::string Percent(double share);                   // 0.1234 is "12.3 %"; "<0.1 %" is not nothing
std::string Scaled(double value, const char* unit);  // decimal steps: "2.45 GHz", "1.20 M" with an empty unit

}  // namespace epik::view

#endif  // EPIK_VIEW_NUMBER_H_
