// SPDX-License-Identifier: BSD-3-Clause
// Where a run comes from: what tells runs of one history apart.
#ifndef EPIK_ARCHIVE_CLOSE_ORIGIN_H_
#define EPIK_ARCHIVE_CLOSE_ORIGIN_H_

#include <string>

#include "archive/files/calibration.h"

namespace epik::archive {

// The commit that is checked out around a folder, by the files of git alone; else that of the CI job (GITHUB_SHA,
// CI_COMMIT_SHA). Whoever plants files can make it wrong, but nothing but 40 or 64 digits. Empty: there is none.
std::string RevisionAround(const std::string& folder);

// "AMD EPYC 9R14": the first one of /proc/cpuinfo, cut to a line's length; empty where it has none.
std::string ProcessorModel();
// With how many processors there are.
HostClass ThisHost();

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_ORIGIN_H_
