// SPDX-License-Identifier: BSD-3-Clause
// The cost of measuring in words: the same in the digest of a run and in its report.
#ifndef EPIK_ARCHIVE_FILES_COST_TEXT_H_
#define EPIK_ARCHIVE_FILES_COST_TEXT_H_

#include <string>

#include "archive/files/manifest.h"

namespace epik::archive {

// `unicode` is as for view::Seconds.

// "650 ms of CPU time, 94.2 % of the program's 690 ms"
std::string CostInWords(const Manifest& manifest, bool unicode);

// Names the work of the measurement beside the events: "starting, flushes of the trace and computing waits".
std::string OwnWorkInWords(const Manifest& manifest);

// "without it about 40.0 ms of CPU time, 370 ms wall"; empty when nothing is known about it.
std::string WithoutItInWords(const Manifest& manifest, bool unicode);

// Whether threads that were ready to run often had no processor.
bool IsOversubscribed(const Manifest& manifest);
// A warning that wall times mean little in this case; otherwise empty.
std::string OversubscribedInWords(const Manifest& manifest);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_COST_TEXT_H_
