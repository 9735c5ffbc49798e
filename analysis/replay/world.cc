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
    std::vector<std::pair<uint32_t, Known>> threads;
    for (const uint32_t l : processes[p].locations) threads.emplace_back(locations[l].number, Known{l});
    std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    processes[p].threads.Assign(std::move(threads));
  }
}

}  // namespace epik::replay
