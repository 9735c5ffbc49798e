// SPDX-License-Identifier: BSD-3-Clause
// Finds regions and metrics by the names that people type.
#ifndef EPIK_ANALYSIS_ALGEBRA_NAMES_H_
#define EPIK_ANALYSIS_ALGEBRA_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::algebra {

// Sets the bits of the regions with this name; * and ? match. If no region has the whole name, a name without its
// parameter list matches, too. Returns false and sets *error, with similar names, when no region in the call tree
// matches.
bool ChooseRegions(const archive::Profile& profile, const std::string& pattern, std::vector<bool>* chosen,
                   std::string* error);

// Returns the message that no region in the call tree has this name, with the names of similar regions.
std::string NoSuchRegion(const archive::Profile& profile, const std::string& pattern);

// Returns kNone when no metric has the name; *error lists the names.
uint32_t ChooseMetric(const archive::Profile& profile, const std::string& name, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_NAMES_H_
