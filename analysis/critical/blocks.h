// SPDX-License-Identifier: BSD-3-Clause
// Cuts the slices of a location in a trace file. Of a long trace the path has each location for some parts only: blocks
// between them are not read.
#ifndef EPIK_ANALYSIS_CRITICAL_BLOCKS_H_
#define EPIK_ANALYSIS_CRITICAL_BLOCKS_H_

#include <vector>

#include "analysis/critical/segments.h"
#include "archive/trace/location_reader.h"

namespace epik::critical {

// Like CutSlices with all events of the location. False: a block is damaged, so only these tell.
bool CutInBlocks(const epilog::ProcessFile& file, const epilog::ParentOf& parent_of,
                 const std::vector<graph::Slice>& slices, uint32_t location, const replay::World& world,
                 replay::TimeModel* time, int64_t least_ns, std::vector<Segment>* segments);

}  // namespace epik::critical

#endif  // EPIK_ANALYSIS_CRITICAL_BLOCKS_H_
