// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/world.h"

namespace epik::replay {

void World::Index() {
  int32_t last = -1;
  for (const Process& process : processes) last = std::max(last, process.rank);
  ranks = std::max(ranks, last + 1);
  process_of_.assign(static_cast<size_t>(last + 1), kNone);
  for (uint32_t p = 0; p < processes.size(); ++p) {
    if (processes[p].rank >= 0) process_of_[static_cast<size_t>(processes[p].rank)] = p;
  }
}

}  // namespace epik::replay
