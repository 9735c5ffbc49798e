// SPDX-License-Identifier: BSD-3-Clause
// Figures over time in one line: a column of eight heights for each part.
#ifndef EPIK_VIEW_SPARKLINE_H_
#define EPIK_VIEW_SPARKLINE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "view/terminal.h"

namespace epik::view {

// At most `width` columns: where there are more figures, a column is the sum of several. The highest has full height. A
// column that is not nothing shows at least the lowest.
std::string Sparkline(const Terminal& terminal, const std::vector<double>& figures, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_SPARKLINE_H_
