// SPDX-License-Identifier: BSD-3-Clause
// The prices of `epk calibrate`, for commands that compute with the cost of measuring.
#ifndef EPIK_TOOLS_EPK_CALIBRATED_H_
#define EPIK_TOOLS_EPK_CALIBRATED_H_

#include <string>

#include "archive/files/manifest.h"

namespace epik::epk {

// Takes the prices from the file that EPK_COSTS names; else from the archive; else from the file at the default place,
// if it is for the archive's class of machine. Throws Fault when the file that EPK_COSTS names cannot be used. Only
// says so when the file at the default place cannot.
void TakeCosts(const char* command, archive::Manifest* manifest);

// "prices of FILE (AMD EPYC × 2, 2026-11-23T…)"; empty: only those of the run itself.
std::string CostsInWords(const archive::Manifest& manifest);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_CALIBRATED_H_
