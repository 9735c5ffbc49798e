// SPDX-License-Identifier: BSD-3-Clause
// The few lines on stderr after a measured program has ended: where the archive is, the main results, what to type
// next.
#ifndef EPIK_ARCHIVE_CLOSE_DIGEST_H_
#define EPIK_ARCHIVE_CLOSE_DIGEST_H_

#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"

namespace epik::archive {

// `time` is by call path: exclusive, over all locations. Values of the profile are ignored. `lines_left_out` is the
// number of functions whose lines were not looked up.
std::vector<std::string> Digest(const std::string& path, const epitome::Profile& profile,
                                const std::vector<double>& time, const Manifest& manifest, uint64_t lines_left_out);

// A line of it as standard error shows it behind "[EPIK] ": several, where that is a narrow terminal. With line ends.
std::string OnScreen(const std::string& line);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_DIGEST_H_
