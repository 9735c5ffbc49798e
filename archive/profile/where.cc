// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/where.h"

#include <algorithm>

namespace epik::archive {

std::string Where(const Profile& profile, uint32_t location) {
  const Location& here = profile.locations[location];
  const bool known = here.process < profile.processes.size();
  const int number = known ? profile.processes[here.process].rank : static_cast<int>(here.process);
  const std::string rank = "rank " + std::to_string(number);
  const std::string thread = "thread " + std::to_string(here.thread);
  const bool threads =
      std::any_of(profile.locations.begin(), profile.locations.end(), [](const Location& l) { return l.thread > 0; });
  if (!threads) return rank;
  return profile.processes.size() > 1 ? rank + " " + thread : thread;
}

}  // namespace epik::archive
