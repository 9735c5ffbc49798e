// SPDX-License-Identifier: BSD-3-Clause
// Figures over time in one line: one column with eight possible heights for each part.
#ifndef EPIK_VIEW_SPARKLINE_H_
#define EPIK_VIEW_SPARKLINE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "view/terminal.h"

namespace epik::view {

// Draws at most `width` columns: if there are more figures, a column is the sum of several. The highest column has full
// height. A column other than zero shows at least the lowest height.
std::string Sparkline(const Terminal& terminal, const std::vector<double>& figures, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_SPARKLINE_H_
