// SPDX-License-Identifier: BSD-3-Clause
// The few lines on stderr after a measured program has ended: the place of the archive, the main results, and the next
// command.
#ifndef EPIK_ARCHIVE_CLOSE_DIGEST_H_
#define EPIK_ARCHIVE_CLOSE_DIGEST_H_

#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"

namespace epik::archive {

// `time` is by call path: exclusive, over all locations. Values of the profile are ignored. `lines_left_out` is the
// number of functions whose lines were not looked up. `kept`: the archive has all of the profile.
std::vector<std::string> Digest(const std::string& path, const Profile& profile, const std::vector<double>& time,
                                const Manifest& manifest, bool kept, uint64_t lines_left_out);

// Formats a line for standard error, which shows it behind "[EPIK] ". A narrow terminal needs several lines. Line ends
// are included.
std::string OnScreen(const std::string& line);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_DIGEST_H_
