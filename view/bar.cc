// SPDX-License-Identifier: BSD-3-Clause
#include "view/bar.h"

#include <algorithm>

#include "view/text.h"

namespace epik::view {

std::string Bar(const Terminal& terminal, double share, size_t width) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) share = 0;  // also for NaN
  share = std::min(share, 1.0);
  const size_t steps = terminal.unicode ? 8 : 1;
  size_t filled = static_cast<size_t>(share * static_cast<double>(width * steps) + 0.5);
  if (share > 0 && filled == 0 && width > 0) filled = 1;
  std::string bar;
  for (size_t i = 0; i < filled / steps; ++i) bar += terminal.unicode ? "█" : "#";
  if (terminal.unicode) bar += kEighths[filled % steps];
  return PadRight(bar, width);
}

std::string StackedBar(const Terminal& terminal, const std::vector<std::pair<double, BarPart>>& parts, size_t width) {
  double sum = 0;
  size_t drawn = 0;
  std::string bar;
  for (const auto& [share, part] : parts) {
    if (share > 0) sum += share;
    const auto to = static_cast<size_t>(std::min(sum, 1.0) * static_cast<double>(width) + 0.5);
    std::string text;
    for (; drawn < to; ++drawn) text += terminal.unicode ? part.block : part.ascii;
    bar += terminal.Paint(part.style, text);
  }
  return bar;
}

}  // namespace epik::view
