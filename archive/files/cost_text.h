// SPDX-License-Identifier: BSD-3-Clause
// What measuring cost, in words: the same in the digest of a run and in its report.
#ifndef EPIK_ARCHIVE_FILES_COST_TEXT_H_
#define EPIK_ARCHIVE_FILES_COST_TEXT_H_

#include <functional>
#include <string>

#include "archive/files/manifest.h"

namespace epik::archive {

using SecondsText = std::function<std::string(double)>;

// "0.65 s of CPU time, 94 % of the program's 0.69 s"
std::string CostInWords(const Manifest& manifest, const SecondsText& seconds);

// "without it about 0.04 s of CPU time, 0.37 s wall"; empty when nothing is known about it.
std::string WithoutItInWords(const Manifest& manifest, const SecondsText& seconds);

// Empty unless the processors were not the program's own: then wall times say little.
std::string OversubscribedInWords(const Manifest& manifest);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_COST_TEXT_H_
