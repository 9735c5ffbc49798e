// SPDX-License-Identifier: BSD-3-Clause
// Numbers for programs: the shortest text that gives the same number when it is read.
#ifndef EPIK_VIEW_EXACT_H_
#define EPIK_VIEW_EXACT_H_

#include <string>

namespace epik::view {

std::string RoundTrip(double value);  // "-" for NaN and infinity

}  // namespace epik::view

#endif  // EPIK_VIEW_EXACT_H_
