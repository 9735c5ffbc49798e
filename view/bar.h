// SPDX-License-Identifier: BSD-3-Clause
// Draws shares as bars: with eighths of a character if the locale has them, otherwise with '#'.
#ifndef EPIK_VIEW_BAR_H_
#define EPIK_VIEW_BAR_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "view/terminal.h"

namespace epik::view {

// Draws exactly `width` columns; shares outside of 0…1 are clamped. A share other than zero shows at least a sliver.
std::string Bar(const Terminal& terminal, double share, size_t width);

// The look of a part in a stacked bar: one column, with and without Unicode.
struct BarPart {
  const char *block, *ascii;
  Style style;
};

// Draws parts one behind the other, each a share of `width`; at most `width` columns. The ends of the parts are
// rounded, not their lengths, so the bar is as long as the whole.
std::string StackedBar(const Terminal& terminal, const std::vector<std::pair<double, BarPart>>& parts, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_BAR_H_
