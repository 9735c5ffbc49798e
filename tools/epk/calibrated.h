// SPDX-License-Identifier: BSD-3-Clause
// The prices of `epk calibrate` for commands that compute with what measuring cost.
#ifndef EPIK_TOOLS_EPK_CALIBRATED_H_
#define EPIK_TOOLS_EPK_CALIBRATED_H_

#include <string>

#include "archive/files/manifest.h"

namespace epik::epk {

// Of the file that EPK_COSTS names; else those that the archive has; else those of the default place, when they are of
// the class of machine that the archive is from. Throws Fault when the file that EPK_COSTS names cannot be used, and
// says so when the other one cannot.
void TakeCosts(const char* command, archive::Manifest* manifest);

// "prices of FILE (AMD EPYC × 2, 2026-11-23T…)"; empty: only those of the run itself.
std::string CostsInWords(const archive::Manifest& manifest);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_CALIBRATED_H_
