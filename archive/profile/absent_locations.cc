// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/absent_locations.h"

#include "archive/profile/absence.h"

namespace epik::archive {

std::vector<bool> AbsentLocations(const Profile& profile, uint32_t metric) {
  const size_t count = profile.locations.size();
  if (profile.IsMissing(metric)) return std::vector<bool>(count, true);
  const Absence absence = ReadAbsence(profile.metrics[metric].description);
  if (!absence.IsPartial()) return {};
  std::vector<bool> absent(count);
  for (size_t l = 0; l < count; ++l) {
    const uint32_t process = profile.locations[l].process;
    absent[l] = process < profile.processes.size() && HasRank(absence.ranks, profile.processes[process].rank);
  }
  return absent;
}

}  // namespace epik::archive
