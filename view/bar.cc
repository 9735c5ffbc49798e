// SPDX-License-Identifier: BSD-3-Clause
#include "view/bar.h"

#include <algorithm>
#include <cmath>

#include "view/text.h"

namespace epik::view {

std::string Bar(const Terminal& terminal, double share, size_t width) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) share = 0;  // NaN too
  share = std::min(share, 1.0);
  const size_t steps = terminal.unicode ? 8 : 1;
  size_t filled = static_cast<size_t>(std::llround(share * static_cast<double>(width * steps)));
  if (share > 0 && filled == 0 && width > 0) filled = 1;
  std::string bar;
  for (size_t i = 0; i < filled / steps; ++i) bar += terminal.unicode ? "█" : "#";
  if (terminal.unicode) bar += kEighths[filled % steps];
  return PadRight(bar, width);
}

}  // namespace epik::view
