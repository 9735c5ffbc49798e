// SPDX-License-Identifier: BSD-3-Clause
// Merges regions that turn out to be the same: parts and copies of a function, which were known only by their
// addresses.
#ifndef EPIK_TOOLS_RESOLVE_MERGE_H_
#define EPIK_TOOLS_RESOLVE_MERGE_H_

#include <cstdint>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::resolve {

// same_as[r] is the region that takes the place of region r: r itself, or one before it. Call paths that become equal
// are added up.
void MergeRegions(const std::vector<uint32_t>& same_as, archive::Profile* profile);

}  // namespace epik::resolve

#endif  // EPIK_TOOLS_RESOLVE_MERGE_H_
