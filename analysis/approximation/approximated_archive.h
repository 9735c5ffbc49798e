// SPDX-License-Identifier: BSD-3-Clause
// Writes the approximated run as an archive: the events of the measured run at their approximated times, and the
// profile that follows from them. All tools read it as any other archive, and its manifest says that it is an
// approximation.
#ifndef EPIK_ANALYSIS_APPROXIMATION_APPROXIMATED_ARCHIVE_H_
#define EPIK_ANALYSIS_APPROXIMATION_APPROXIMATED_ARCHIVE_H_

#include <string>

#include "analysis/approximation/change.h"
#include "analysis/approximation/forward.h"
#include "analysis/approximation/traced_run.h"

namespace epik::approximation {

// Words for the manifest, and for people.
struct Description {
  std::string change = "without measurement";
  std::string model = "event";
  std::string bound = "estimate";
};

// `times` are those of the run with `change`. Returns false, with the reason; then nothing is left at `target`.
bool WriteApproximatedArchive(const TracedRun& run, const Change& change, const Times& times,
                              const Description& description, const std::string& target, std::string* error);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_APPROXIMATED_ARCHIVE_H_
