// SPDX-License-Identifier: BSD-3-Clause
#include "archive/image/process_image.h"

#include <algorithm>

namespace epik::archive {

uint64_t ProcessImage::LastTicks() const {
  uint64_t last = std::max({header.start_ticks, header.pair[0].ticks, header.pair[1].ticks});
  for (const LocationImage& location : locations) last = std::max(last, location.header.last);
  for (const uint64_t word : header.switched) last = std::max(last, word >> 1);  // nobody switches an ended process
  return header.end_ticks != 0 ? header.end_ticks : last;
}

double ProcessImage::SecondsPerTick() const {
  if (header.timer == base::Timer::kMonotonic) return 1e-9;
  const base::ClockPair& latest = header.pair[header.pair_index & 1];
  const base::ClockPair& first = header.first_pair;
  if (latest.ticks <= first.ticks || latest.ns <= first.ns) return 0;
  return static_cast<double>(latest.ns - first.ns) * 1e-9 / static_cast<double>(latest.ticks - first.ticks);
}

}  // namespace epik::archive
