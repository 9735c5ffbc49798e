// SPDX-License-Identifier: BSD-3-Clause
// Regions and metrics as people name them.
#ifndef EPIK_ANALYSIS_ALGEBRA_NAMES_H_
#define EPIK_ANALYSIS_ALGEBRA_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::algebra {

// Sets the bits, by region, of those that are called so; * and ? match. A name without its parameter list will do when
// nothing has the whole name. False and *error, with names that are near, when there is none in the call tree.
bool ChooseRegions(const epitome::Profile& profile, const std::string& pattern, std::vector<bool>* chosen,
                   std::string* error);

// kNone and *error, with the names there are.
uint32_t ChooseMetric(const epitome::Profile& profile, const std::string& name, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_NAMES_H_
