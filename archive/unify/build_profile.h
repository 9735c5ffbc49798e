// SPDX-License-Identifier: BSD-3-Clause
// Makes one profile from the parts of all processes. SummarizeJob streams the values, so that no process needs memory
// for all of them; the end of a measurement uses it (archive/close/write_archive.h).
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

// The facts that rank 0 has about a job before the values come.
struct JobSummary {
  Profile profile;  // without values
  Manifest manifest;
  std::vector<ProcessFacts> processes;
  std::vector<CommunicatorEntry> communicators;  // for traces
  std::vector<WindowEntry> windows;
  uint64_t lines_left_out = 0;  // of functions
};

// Collective. Unifies the definitions of all processes and streams their values to the sink that `open` returns. `open`
// is called once, at rank 0; when it returns null, nothing is written. Returns false when something failed. `numbers`,
// unless null, gets the new numbers of the definitions of each part.
bool SummarizeJob(Group* group, const std::vector<ProcessPart>& parts, const EndingHint& hint,
                  const std::function<RowSink*(const JobSummary&)>& open, std::vector<Mapping>* numbers = nullptr);

// Adds metrics and values to a profile that has all other content. The parts must use the numbers of the profile
// already.
bool FillProfile(const std::vector<ProcessPart>& parts, Profile* profile);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_BUILD_PROFILE_H_
