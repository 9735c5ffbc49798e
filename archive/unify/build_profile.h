// SPDX-License-Identifier: BSD-3-Clause
// From what processes left in their arenas to one profile, all of it in memory. What ends a program streams instead
// (write_archive.h); both are the same steps.
#ifndef EPIK_ARCHIVE_UNIFY_BUILD_PROFILE_H_
#define EPIK_ARCHIVE_UNIFY_BUILD_PROFILE_H_

#include <functional>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/image/process_image.h"
#include "archive/parts/process_facts.h"
#include "archive/parts/process_part.h"
#include "archive/profile/profile.h"
#include "archive/unify/rows.h"
#include "runtime/abi/group.h"

namespace epik::archive {

// What rank 0 learns of a job before the values come.
struct JobSummary {
  epitome::Profile profile;  // without values
  Manifest manifest;
  std::vector<ProcessFacts> processes;
  std::vector<CommunicatorEntry> communicators;  // of traces
  std::vector<WindowEntry> windows;
  uint64_t lines_left_out = 0;  // of functions
};

// Collective. Unifies the definitions of all processes and streams their values to what `open` returns at rank 0; it is
// called once, and may return null: then nothing is written. False when something failed. `numbers`: where to leave
// what became of the definitions of each part.
bool SummarizeJob(Group* group, const std::vector<ProcessPart>& parts, const EndingHint& hint,
                  const std::function<RowSink*(const JobSummary&)>& open, std::vector<Mapping>* numbers = nullptr);

// `images` are the processes of one run. Times are seconds; frames that are still open end at the last known moment.
void BuildProfile(const std::vector<epitome::ProcessImage>& images, const EndingHint& hint, epitome::Profile* profile,
                  Manifest* manifest);

// The values of parts whose definitions have their numbers already: those of `profile`, which has all but metrics.
bool FillProfile(const std::vector<ProcessPart>& parts, epitome::Profile* profile);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_BUILD_PROFILE_H_
