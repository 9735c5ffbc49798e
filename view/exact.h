// SPDX-License-Identifier: BSD-3-Clause
// Numbers for programs: the shortest text that reads back as the same number.
#ifndef EPIK_VIEW_EXACT_H_
#define EPIK_VIEW_EXACT_H_

#include <string>

namespace epik::view {

std::string RoundTrip(double value);  // "-" for what is no number

}  // namespace epik::view

#endif  // EPIK_VIEW_EXACT_H_
