// SPDX-License-Identifier: BSD-3-Clause
// The locations of a profile that have no values of a metric because their process could not measure it (absence.h).
#ifndef EPIK_ARCHIVE_PROFILE_ABSENT_LOCATIONS_H_
#define EPIK_ARCHIVE_PROFILE_ABSENT_LOCATIONS_H_

#include <cstdint>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

// Returns, for each location, whether its process did not measure the metric. Empty when all processes did.
std::vector<bool> AbsentLocations(const Profile& profile, uint32_t metric);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PROFILE_ABSENT_LOCATIONS_H_
