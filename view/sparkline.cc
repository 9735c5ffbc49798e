// SPDX-License-Identifier: BSD-3-Clause
#include "view/sparkline.h"

#include <algorithm>
#include <cmath>

namespace epik::view {

std::string Sparkline(const Terminal& terminal, const std::vector<double>& figures, size_t width) {
  constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr const char* kAscii[] = {" ", ".", ".", ":", ":", "+", "+", "#", "#"};
  if (figures.empty() || width == 0) return "";
  const size_t each = (figures.size() + width - 1) / width;
  std::vector<double> columns((figures.size() + each - 1) / each);
  for (size_t i = 0; i < figures.size(); ++i) {
    if (std::isfinite(figures[i]) && figures[i] > 0) columns[i / each] += figures[i];
  }
  const double most = *std::max_element(columns.begin(), columns.end());
  std::string line;
  for (const double column : columns) {
    size_t height = most > 0 ? static_cast<size_t>(std::lround(column / most * 8)) : 0;
    if (column > 0) height = std::clamp<size_t>(height, 1, 8);
    line += terminal.unicode ? kBlocks[height] : kAscii[height];
  }
  return line;
}

}  // namespace epik::view
