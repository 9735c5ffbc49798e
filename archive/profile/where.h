// SPDX-License-Identifier: BSD-3-Clause
// Names of locations, for people.
#ifndef EPIK_ARCHIVE_PROFILE_WHERE_H_
#define EPIK_ARCHIVE_PROFILE_WHERE_H_

#include <cstdint>
#include <string>

#include "archive/profile/profile.h"

namespace epik::archive {

// "rank 2", "thread 3", "rank 2 thread 3": as much as distinguishes the locations of this profile.
std::string Where(const Profile& profile, uint32_t location);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PROFILE_WHERE_H_
