// SPDX-License-Identifier: BSD-3-Clause
// From what processes left in their arenas to one profile: names for addresses, one call tree for all locations.
#ifndef EPIK_RUNTIME_ARCHIVE_BUILD_PROFILE_H_
#define EPIK_RUNTIME_ARCHIVE_BUILD_PROFILE_H_

#include <vector>

#include "runtime/archive/manifest.h"
#include "runtime/epitome/process_image.h"
#include "runtime/epitome/profile.h"

namespace epik::archive {

// How the end of a process is to be told when its arena cannot say it.
struct EndingHint {
  bool recovered = false;  // found as left-over arenas
  bool running = false;    // a snapshot of a process that lives on
};

// `images` are the processes of one run. Times are seconds; frames that are still open end at the last known moment.
void BuildProfile(const std::vector<epitome::ProcessImage>& images, const EndingHint& hint, epitome::Profile* profile,
                  Manifest* manifest);

}  // namespace epik::archive

#endif  // EPIK_RUNTIME_ARCHIVE_BUILD_PROFILE_H_
