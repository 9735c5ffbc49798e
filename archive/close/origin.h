// SPDX-License-Identifier: BSD-3-Clause
// The origin of a run: properties that distinguish the runs of one history.
#ifndef EPIK_ARCHIVE_CLOSE_ORIGIN_H_
#define EPIK_ARCHIVE_CLOSE_ORIGIN_H_

#include <string>

#include "archive/files/calibration.h"

namespace epik::archive {

// Returns the commit that is checked out around a folder, by the files of git alone, or else that of the CI job
// (GITHUB_SHA, CI_COMMIT_SHA). Planted files can make it wrong, but it is always 40 or 64 digits. Empty when there is
// none.
std::string RevisionAround(const std::string& folder);

// "AMD EPYC 9R14": the first model in /proc/cpuinfo, cut to the length of a line; "" if it names no model.
std::string ProcessorModel();
// The class of this host, with its number of processors.
HostClass ThisHost();

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_ORIGIN_H_
