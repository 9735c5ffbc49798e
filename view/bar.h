// SPDX-License-Identifier: BSD-3-Clause
// Shares drawn as bars: eighths of a character where the locale has them, '#' where it has not.
#ifndef EPIK_VIEW_BAR_H_
#define EPIK_VIEW_BAR_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "view/terminal.h"

namespace epik::view {

// Exactly `width` columns; shares outside 0…1 are clamped. A share that is not nothing shows at least a sliver.
std::string Bar(const Terminal& terminal, double share, size_t width);

// How a part of a stacked bar is drawn: one column, with and without Unicode.
struct BarPart {
  const char *block, *ascii;
  Style style;
};

// Parts one behind the other, each a share of `width`; at most `width` columns. Ends of the parts are rounded, not
// their lengths: the bar is as long as the whole.
std::string StackedBar(const Terminal& terminal, const std::vector<std::pair<double, BarPart>>& parts, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_BAR_H_
