// SPDX-License-Identifier: BSD-3-Clause
// Writes the run that would have been as an archive: the events of the measured one at their approximated times, and
// the profile that follows from them. All tools read it as any other; its manifest says what it is.
#ifndef EPIK_ANALYSIS_APPROXIMATION_APPROXIMATED_ARCHIVE_H_
#define EPIK_ANALYSIS_APPROXIMATION_APPROXIMATED_ARCHIVE_H_

#include <string>

#include "analysis/approximation/change.h"
#include "analysis/approximation/forward.h"
#include "analysis/approximation/traced_run.h"

namespace epik::approximation {

// For the manifest, and for people.
struct Description {
  std::string change = "without measurement";
  std::string model = "event";
  std::string bound = "estimate";
};

// `times`: of the run with `change`. False, with the reason: nothing is left at `target`.
bool WriteApproximatedArchive(const TracedRun& run, const Change& change, const Times& times,
                              const Description& description, const std::string& target, std::string* error);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_APPROXIMATED_ARCHIVE_H_
