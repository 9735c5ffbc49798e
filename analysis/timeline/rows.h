// SPDX-License-Identifier: BSD-3-Clause
// Locations with similar behaviour share a row, so that thousands of locations fit on a screen.
#ifndef EPIK_ANALYSIS_TIMELINE_ROWS_H_
#define EPIK_ANALYSIS_TIMELINE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/timeline/bins.h"

namespace epik::timeline {

// Returns the locations of each row, ascending; the first one is drawn. `group_of`: locations of different groups never
// share a row, because main threads and workers look alike for other reasons. There are `most` rows at most, as far as
// the groups allow.
std::vector<std::vector<uint32_t>> FoldAlike(const std::vector<Bins>& locations, const std::vector<uint32_t>& group_of,
                                             size_t most);

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_ROWS_H_
